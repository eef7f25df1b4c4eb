package models_test

import (
	"testing"

	"dgsbench/models"
)

func TestOneOfNamesTheWords(t *testing.T) {
	for _, c := range []struct {
		known []string
		want  string
	}{
		{[]string{"gru"}, `cell is "lstm", expected gru`},
		{[]string{"gru", "rnn"}, `cell is "lstm", expected gru or rnn`},
		{[]string{"gru", "rnn", "none"}, `cell is "lstm", expected gru, rnn or none`},
	} {
		if err := models.OneOf("cell", "lstm", c.known...); err == nil || err.Error() != c.want {
			t.Errorf("error is %v, expected %s", err, c.want)
		}
		if err := models.OneOf("cell", "gru", c.known...); err != nil {
			t.Error(err)
		}
	}
}
