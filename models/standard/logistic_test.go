package standard

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/models/modeltest"
	"dgsbench/models/raw"
	"dgsbench/protocol"
)

// TestLogistic: Raw without a hidden layer passes the conformance suite, and is
// logistic regression: trained long enough, it has the coefficients of
// Newton's method.
func TestLogistic(t *testing.T) {
	kind, err := models.Lookup("raw")
	if err != nil {
		t.Fatal(err)
	}
	o := kind.Options().(*raw.Options)
	o.Head.Hidden, o.Head.Dropout, o.Head.LR = []int{}, 0, .01
	modeltest.Check(t, kind, o)

	s := modeltest.Random(6, 200)
	m, err := kind.New(models.Setup{Task: protocol.NodeClassification, NumNodes: s.NumNodes, NumFeat: s.NumFeat, MaxBatch: s.Len(), Train: s, Threads: 1}, o)
	if err != nil {
		t.Fatal(err)
	}
	for range 3000 {
		if _, err := m.Train(s, nil); err != nil {
			t.Fatal(err)
		}
	}
	got := make([]float32, s.Len())
	if err := m.Classify(s.WithoutLabels(), got); err != nil {
		t.Fatal(err)
	}
	w := newton(s)
	for k := range got {
		if want := logit(w, s.Features(k)); math.Abs(float64(got[k])-want) > 1e-3 {
			t.Fatalf("event %d: logit %v, by Newton's method %v", k, got[k], want)
		}
	}
	if m.NumParams() != s.NumFeat+1 {
		t.Errorf("%d parameters of %d features", m.NumParams(), s.NumFeat)
	}
}

// logit is that of coefficients, of which the last is the intercept.
func logit(w *mat.VecDense, x []float32) float64 {
	z := w.AtVec(len(x))
	for i, v := range x {
		z += w.AtVec(i) * float64(v)
	}
	return z
}

// newton maximises the likelihood of the labelled events.
func newton(s datasets.Stream) *mat.VecDense {
	n := s.NumFeat + 1
	w := mat.NewVecDense(n, nil)
	for range 20 {
		gradient, hessian := mat.NewVecDense(n, nil), mat.NewDense(n, n, nil)
		for k, label := range s.Label {
			if label == datasets.Unlabelled {
				continue
			}
			x := mat.NewVecDense(n, nil)
			for i, v := range s.Features(k) {
				x.SetVec(i, float64(v))
			}
			x.SetVec(n-1, 1)
			p := 1 / (1 + math.Exp(-logit(w, s.Features(k))))
			gradient.AddScaledVec(gradient, float64(label)-p, x)
			hessian.RankOne(hessian, p*(1-p), x, x)
		}
		var step mat.VecDense
		if err := step.SolveVec(hessian, gradient); err != nil {
			panic(err)
		}
		w.AddVec(w, &step)
	}
	return w
}
