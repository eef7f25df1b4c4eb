package record_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"dgsbench/results/record"
	"dgsbench/results/record/recordtest"
)

// sealedRecord is a record's file.
func sealedRecord(t *testing.T) []byte {
	t.Helper()
	s := record.Store{Dir: t.TempDir()}
	recordtest.Write(t, s, recordtest.Trial("nc", "", "dgs", 0), recordtest.Classified())
	data, err := os.ReadFile(filepath.Join(s.Dir, recordtest.Trial("nc", "", "dgs", 0).Key.Path(recordtest.Identity)))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Any byte that changes is found.
func TestNoByteOfARecordMayChange(t *testing.T) {
	data := sealedRecord(t)
	rapid.Check(t, func(t *rapid.T) {
		changed := append([]byte(nil), data...)
		at := rapid.IntRange(0, len(data)-1).Draw(t, "position")
		changed[at] ^= byte(rapid.IntRange(1, 255).Draw(t, "bits"))
		if _, err := record.Parse("file.json", changed); err == nil {
			t.Fatalf("byte %d, %q, became %q and nobody saw it", at, data[at], changed[at])
		}
	})
	for _, length := range []int{0, 1, len(data) / 2, len(data) - 1} {
		if _, err := record.Parse("file.json", data[:length]); err == nil {
			t.Errorf("cut after %d of %d bytes and nobody saw it", length, len(data))
		}
	}
}

// Records of before there were seals are read as they were.
func TestRecordsWithoutASealAreRead(t *testing.T) {
	text := string(sealedRecord(t))
	at := strings.Index(text, ",\n  \"seal\"")
	if at < 0 {
		t.Fatalf("no seal in\n%s", text)
	}
	if _, err := record.Parse("file.json", []byte(text[:at]+"\n}\n")); err != nil {
		t.Error(err)
	}
}

// Any byte of a sealed file of lines that changes is found, and any end that
// is lost.
func TestNoByteOfLinesMayChange(t *testing.T) {
	const text = "{\"sealed\":true}\n{\"value\":0.5}\n{\"value\":0.25}\n"
	data := record.Lines.Add([]byte(text))
	if body, sealed, err := record.Lines.Remove(data); err != nil || !sealed || string(body) != text {
		t.Errorf("%q, %v, %v", body, sealed, err)
	}
	whole := func(data []byte) bool {
		_, sealed, err := record.Lines.Remove(data)
		return sealed && err == nil
	}
	for at := range data {
		for bit := range 8 {
			changed := append([]byte(nil), data...)
			changed[at] ^= 1 << bit
			if whole(changed) {
				t.Fatalf("byte %d, %q, became %q and nobody saw it", at, data[at], changed[at])
			}
		}
		if whole(data[:at]) || at > 0 && whole(data[at:]) {
			t.Errorf("cut at %d of %d bytes and nobody saw it", at, len(data))
		}
	}
	if _, _, err := record.Lines.Remove(append(data, "{\"value\":1}\n"...)); err == nil {
		t.Error("a line after the seal")
	}
}
