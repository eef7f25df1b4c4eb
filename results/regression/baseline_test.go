package regression_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dgsbench/results/baseline"
	"dgsbench/results/regression"

	"github.com/google/go-cmp/cmp"
)

// TestEncode: a baseline's file reads back as it was, to the last bit.
func TestEncode(t *testing.T) {
	b := measured(t, 1, 10).baseline()
	data, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := regression.ParseBaseline("ci.json", data)
	if err != nil {
		t.Fatal(err)
	}
	for i := range again.Cells { // the layout of a spec is the file's
		again.Cells[i].Spec = b.Cells[i].Spec
	}
	if diff := cmp.Diff(b, again); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !bytes.Contains(data, []byte(`"seeds": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]`)) {
		t.Errorf("lists of numbers are not on a line:\n%s", data)
	}
}

// TestBuiltInBaseline: the project's own one can be read and is laid out as
// --accept would.
func TestBuiltInBaseline(t *testing.T) {
	b, err := regression.ParseBaseline("ci.json", baseline.CI)
	if err != nil {
		t.Fatal(err)
	}
	data, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(data, baseline.CI) {
		t.Error("the file was edited by hand; bench check --accept writes it")
	}
}

func TestParseRefuses(t *testing.T) {
	good, err := measured(t, 1, 3).baseline().Encode()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ old, new, want string }{
		"no JSON":         {"{", "{{", "invalid character"},
		"format":          {`"format": 1`, `"format": 2`, "it has format 2, expected 1"},
		"unknown key":     {`"format"`, `"colour": 1, "format"`, "colour"},
		"no suite":        {`"suite": "ci",`, `"suite": "",`, "it names no suite"},
		"order":           {`"model": "gru"`, `"model": "zru"`, "twice or in the wrong place"},
		"class":           {`"class": "learned"`, `"class": "learnt"`, `has the class "learnt", expected one of [learned zero-parameter single-column oracle null]`},
		"values":          {`"seeds": [0, 1, 2]`, `"seeds": [0, 1]`, "2 seeds and 3 values of auc"},
		"two limits":      {`"metric": "auc"`, `"metric": "ap"`, "two limits for the metric ap"},
		"no limit":        {`"metric": "auc"`, `"metric": "mrr"`, "no limit for the metric auc"},
		"unknown metric":  {`"metric": "auc"`, `"metric": "auk"`, "auk"},
		"no reason":       {`"reason": "a test"`, `"reason": ""`, "and a reason"},
		"effect of zero":  {`"smallest_effect": 0.005`, `"smallest_effect": 0`, "above 0"},
		"tolerance below": {`"tolerance": 0.0001`, `"tolerance": -1`, "above 0"},
	} {
		bad := strings.Replace(string(good), c.old, c.new, 1)
		_, err := regression.ParseBaseline("my.json", []byte(bad))
		if err == nil || !strings.HasPrefix(err.Error(), "my.json is not a baseline") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q in it", name, err, c.want)
		}
	}
}

// TestWriteText compares the report with testdata/report.txt.
func TestWriteText(t *testing.T) {
	old := measured(t, 1, 10)
	s := measured(t, .7, 10)
	s.drop(s.trials[len(s.trials)-1])
	var got bytes.Buffer
	b := old.baseline()
	b.Build.Go = "go1.25"
	for _, statistical := range []bool{false, true} {
		if err := s.against(t, b, statistical).WriteText(&got); err != nil {
			t.Fatal(err)
		}
	}
	for _, statistical := range []bool{false, true} {
		if err := old.against(t, old.baseline(), statistical).WriteText(&got); err != nil {
			t.Fatal(err)
		}
	}
	b = old.baseline()
	b.Build.Code = "unknown"
	if err := old.against(t, b, false).WriteText(&got); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "report.txt")
	want, _ := os.ReadFile(golden) // one that is not there differs
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		write(t, filepath.Join("testdata", ".got-report.txt"), got.Bytes())
		t.Errorf("%s (-) and now (+), which is beside it as .got-report.txt:\n%s", golden, diff)
	}
}

// FuzzParseBaseline: whatever the file, it is refused or can be written and
// read again.
func FuzzParseBaseline(f *testing.F) {
	f.Add(baseline.CI)
	f.Add([]byte(`{"format": 1, "suite": "ci", "cells": [{"model": "a", "class": "learned", "spec": {}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := regression.ParseBaseline("x.json", data)
		if err != nil {
			return
		}
		data, err = b.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := regression.ParseBaseline("x.json", data); err != nil {
			t.Errorf("%v in\n%s", err, data)
		}
	})
}
