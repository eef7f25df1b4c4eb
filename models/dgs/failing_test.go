package dgs

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/kernels/cpu"
	"dgsbench/kernels/devicetest"
	"dgsbench/models"
	"dgsbench/models/modeltest"
	"dgsbench/protocol"
)

// TestTrainingFailsAtOnce: the batch whose gradient is not finite, or too large
// for a step, is the one that fails, while its loss and its states still look
// well. Neither parameters nor states change.
func TestTrainingFailsAtOnce(t *testing.T) {
	for _, c := range []struct {
		name       string
		derivative float32 // that all states have
	}{{"infinite", float32(math.Inf(1))}, {"large", 1e36}} {
		for _, task := range []protocol.Task{protocol.NodeClassification, protocol.LinkPrediction} {
			for parameter, put := range map[string]func(*derivatives, float32){
				"alpha_logit": func(v *derivatives, x float32) { fillTable(v, v.a, x) },
				"beta_logit":  func(v *derivatives, x float32) { fillTable(v, v.b, x) },
				"W":           fillJacobians,
			} {
				t.Run(c.name+"/"+string(task)+"/"+parameter, func(t *testing.T) {
					err := trainPoisoned(t, task, func(v *derivatives) { put(v, c.derivative) })
					want := "training on events 10 to 19: gradient of " + parameter + " is not within ±1e+18"
					if err == nil || err.Error() != want {
						t.Errorf("%v, expected: %s", err, want)
					}
				})
			}
		}
	}
}

// trainPoisoned spoils the derivatives between two batches and returns the
// error of the second. The first moves nothing below the head: it has no
// labels, or a loss that is about states of zero. The second must change nothing.
func trainPoisoned(t *testing.T, task protocol.Task, spoil func(*derivatives)) error {
	t.Helper()
	const batch = 10
	stream := modeltest.Random(4, 2*batch)
	for k := range stream.Label {
		stream.Label[k] = datasets.Unlabelled
		if k >= batch {
			stream.Label[k] = int8(k % 2)
		}
	}
	o := Defaults()
	o.Optimiser.LR = 1e6
	m, err := New(models.Setup{
		Task: task, NumNodes: stream.NumNodes, Users: stream.Users, NumFeat: stream.NumFeat, MaxBatch: batch, Threads: 1, Train: stream,
	}, o)
	if err != nil {
		t.Fatal(err)
	}
	first, second := stream.Slice(0, batch), stream.Slice(batch, 2*batch)
	if _, err := m.Train(first, second.Dst); err != nil {
		t.Fatal(err)
	}
	spoil(m.training.derivatives)
	before := m.Snapshot(models.Everything)
	_, err = m.Train(second, first.Dst)
	if err != nil && !reflect.DeepEqual(m.Snapshot(models.Everything), before) {
		t.Error("the batch has changed the model")
	}
	return err
}

// testDevices are the processor and what accelerators there are.
func testDevices() map[string]func(testing.TB) kernels.Device {
	devices := map[string]func(testing.TB) kernels.Device{
		"cpu": func(testing.TB) kernels.Device { return cpu.NewDevice(cpu.Best(), 1) },
	}
	maps.Copy(devices, devicetest.Accelerators)
	return devices
}

// onEveryTask runs a test on a new model for each task and device, with three
// batches of ten events.
func onEveryTask(t *testing.T, test func(t *testing.T, m *Model, part func(i int) datasets.Stream)) {
	t.Helper()
	const batch = 10
	stream := modeltest.Random(5, 3*batch)
	part := func(i int) datasets.Stream { return stream.Slice(i*batch, (i+1)*batch) }
	for name, device := range testDevices() {
		for _, task := range []protocol.Task{protocol.NodeClassification, protocol.LinkPrediction} {
			t.Run(name+"/"+string(task), func(t *testing.T) {
				m := newOn(device(t), models.Setup{Task: task, NumNodes: stream.NumNodes, NumFeat: stream.NumFeat, MaxBatch: batch, Threads: 1, Train: stream}, Defaults())
				test(t, m, part)
			})
		}
	}
}

// TestBadFeatureIsRefused: training on it names it, and changes nothing.
func TestBadFeatureIsRefused(t *testing.T) {
	onEveryTask(t, func(t *testing.T, m *Model, part func(i int) datasets.Stream) {
		if _, err := m.Train(part(0), part(1).Dst); err != nil {
			t.Fatal(err)
		}
		before := allOf(m)
		bad := part(1)
		bad.Feat = slices.Clone(bad.Feat)
		bad.Feat[2*bad.NumFeat+1] = float32(math.NaN())
		for _, labels := range [][]int8{bad.Label, slices.Repeat([]int8{datasets.Unlabelled}, bad.Len())} {
			bad.Label = labels
			if _, err := m.Train(bad, part(2).Dst); err == nil || !strings.HasPrefix(err.Error(), "feature 1 of event 12 is NaN") {
				t.Errorf("%v, expected feature 1 of event 12", err)
			}
			if !reflect.DeepEqual(allOf(m), before) {
				t.Error("the batch has changed the model")
			}
		}
		if _, err := m.Train(part(1), part(2).Dst); err != nil {
			t.Errorf("the good batch after it: %v", err)
		}
	})
}

// TestAfterBadBatch: training goes on as if a batch that was refused had not
// been there, nor what others have shown the device.
func TestAfterBadBatch(t *testing.T) {
	const batch = 10
	stream := modeltest.Random(5, 3*batch)
	for name, device := range testDevices() {
		for _, task := range []protocol.Task{protocol.NodeClassification, protocol.LinkPrediction} {
			for _, method := range []Method{SGD, Adam} {
				t.Run(fmt.Sprintf("%s/%s/%s", name, task, method), func(t *testing.T) {
					o := Defaults()
					o.Optimiser.Method, o.Optimiser.LR = method, .1
					trained := func(bad bool) any {
						m := newOn(device(t), models.Setup{Task: task, NumNodes: stream.NumNodes, NumFeat: stream.NumFeat, MaxBatch: batch, Threads: 1, Train: stream}, o)
						for i := range 3 {
							if bad {
								trainBad(t, m, stream.Slice(i*batch, (i+1)*batch))
								trainBadLoss(t, m, stream.Slice(i*batch, (i+1)*batch))
							}
							if _, err := m.Train(stream.Slice(i*batch, (i+1)*batch), stream.Dst[:batch]); err != nil {
								t.Fatal(err)
							}
						}
						return allOf(m)
					}
					if !reflect.DeepEqual(trained(true), trained(false)) {
						t.Error("a batch that was refused has changed the model")
					}
				})
			}
		}
	}
}

// trainBad trains on a batch with a bad feature, and shows the device another
// one.
func trainBad(t *testing.T, m *Model, b datasets.Stream) {
	t.Helper()
	nan := float32(math.NaN())
	b.Feat = slices.Clone(b.Feat)
	b.Feat[0] = nan
	if _, err := m.Train(b, b.Dst); err == nil {
		t.Error("a bad feature was not refused")
	}
	x := m.device.NewBuffer(1)
	m.device.Write(x, []float32{nan})
	m.device.CheckFinite(1, x)
}

// trainBadLoss trains on a batch while a parameter is bad, once there are
// derivatives.
func trainBadLoss(t *testing.T, m *Model, b datasets.Stream) {
	t.Helper()
	params := m.net.head.Training().Params.Buffers
	bias, good := params[len(params)-1], make([]float32, 1)
	m.device.Read(good, bias)
	m.device.Write(bias, []float32{float32(math.Inf(1))})
	if _, err := m.Train(b, b.Dst); err == nil {
		t.Error("a bad loss was not refused")
	}
	m.device.Write(bias, good)
}

// TestBadLossIsRefused: where the loss is not finite, nothing changes either.
func TestBadLossIsRefused(t *testing.T) {
	onEveryTask(t, func(t *testing.T, m *Model, part func(i int) datasets.Stream) {
		for i := range 2 { // the second time calls are repeated
			if _, err := m.Train(part(i), part(i).Dst); err != nil {
				t.Fatal(err)
			}
		}
		params := m.net.head.Training().Params.Buffers
		m.device.Write(params[len(params)-1], []float32{float32(math.Inf(1))}) // the head's last bias
		before := allOf(m)
		if _, err := m.Train(part(2), part(0).Dst); err == nil || !strings.HasPrefix(err.Error(), "training loss of events 20 to 29 is ") {
			t.Errorf("%v, expected a bad loss of events 20 to 29", err)
		}
		if !reflect.DeepEqual(allOf(m), before) {
			t.Error("the batch has changed the model")
		}
	})
}

// allOf is all that a model has learned so far, derivatives too.
func allOf(m *Model) any {
	v := m.training.derivatives
	numbers := func(b kernels.Buffer) []float32 {
		out := make([]float32, b.Len())
		m.device.Read(out, b)
		return out
	}
	var jacobians [][]float32
	for node, slot := range v.slots.slot {
		jacobians = append(jacobians, nil)
		if slot >= 0 {
			jacobians[node] = make([]float32, v.shape.Lanes()*v.shape.Features)
			v.j.Read(jacobians[node], int(slot))
		}
	}
	return []any{m.Snapshot(models.Everything), numbers(v.a), numbers(v.b), jacobians}
}

// fillTable sets A or B of all nodes.
func fillTable(v *derivatives, table kernels.Buffer, x float32) {
	values := make([]float32, table.Len())
	for i := range values {
		values[i] = x
	}
	v.device.Write(table, values)
}

// fillJacobians sets those of all nodes that have one, as if it were the
// drive of one more write.
func fillJacobians(v *derivatives, x float32) {
	d := v.device
	none := d.NewBuffer(v.net.size)
	s := kernels.JacobianStep{Keep: none, Mix: none, Drive: d.NewBuffer(v.shape.Lanes()), X: d.NewBuffer(v.shape.Features)}
	fillTable(v, s.Drive, x)
	fillTable(v, s.X, 1)
	for slot := range int32(v.slots.next) {
		s.Slots = []int32{slot}
		s.Writes = []kernels.JacobianWrite{{Slot: slot}}
		v.j.Step(&s)
	}
}
