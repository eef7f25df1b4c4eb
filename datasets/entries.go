package datasets

// The datasets that come with the benchmark. Their files do not: see URL.
func init() {
	wikipedia := jodie(Dataset{
		Name:      "wikipedia",
		Title:     "Wikipedia: users edit pages; label: the user is banned after this edit",
		URL:       "http://snap.stanford.edu/jodie/wikipedia.csv",
		File:      "wikipedia.csv",
		SHA256:    "a6b73e09c0d1e5b9db11e7e7aa416f2e87838a745273e0446a79952cf4cfae09",
		Want:      Counts{Events: 157_474, Nodes: 9_227, Users: 8_227, Items: 1_000, Positives: 217, Features: 172},
		Split:     ByTime(0.70, 0.85),
		HeldOut:   TGNWikipediaHeldOut,
		PaperName: "Wikipedia",
	})
	Register(wikipedia)

	tgb := wikipedia
	tgb.Name = "tgbl-wiki"
	tgb.Title = "Wikipedia as TGB has it, version 2: users edit pages; label: the user is banned after this edit"
	tgb.URL = "https://object-arbutus.alliancecan.ca/swift/v1/14c95234f6cd4a21a47deafe20cce2a7/tgb/tgbl-wiki-v2.zip"
	tgb.Obtain = "the edge list in the archive, and the files of negatives beside it if they are to be checked"
	tgb.File = "tgbl-wiki_edgelist_v2.csv"
	tgb.Negatives = [2]string{"tgbl-wiki_val_ns_v2.pkl", "tgbl-wiki_test_ns_v2.pkl"}
	tgb.SHA256 = "" // not known; the counts are
	Register(tgb)

	bare := wikipedia
	bare.Name = "wikipedia-nofeat"
	bare.Title += "; without the 172 edit features"
	bare.Obtain = "the header line and the first four fields of every other line"
	bare.File = "wikipedia-nofeat.csv"
	bare.SHA256 = "038e71dead787c917c4d9aff16775dd7fcd2940e28d1155890d38a4cacb7323b"
	bare.Want.Features = 0
	bare.Substitute = GapsAndCounts()
	bare.Notes = []string{"the 172 edit features are absent from this file"}
	Register(bare)

	const hashed = "; ids are hashed into 64 columns for users and 64 for pages: a model knows nodes by name"
	ids := []Derived{HashedID(Source, 64), HashedID(Destination, 64)}
	for _, with := range []struct {
		name, what, note string
		features         []Derived
	}{
		{"wikipedia-ids", "ids, gaps and counts", hashed, append(GapsAndCounts(), ids...)},
		{"wikipedia-ids-alone", "ids", hashed, ids},
		{"wikipedia-gaps", "gaps", "", GapsAndCounts()[:2]},
		{"wikipedia-counts", "counts", "", GapsAndCounts()[2:]},
	} {
		d := bare
		d.Name, d.Features = with.name, with.features
		d.Title += "; with " + with.what + " as features"
		d.Notes = []string{with.what + " of both nodes in place of the paper's 172 edit features" + with.note}
		Register(d)
	}

	Register(jodie(Dataset{
		Name:      "reddit",
		Title:     "Reddit: users post to subreddits; label: the user is banned after this post",
		URL:       "http://snap.stanford.edu/jodie/reddit.csv",
		File:      "reddit.csv",
		Want:      Counts{Events: 672_447, Nodes: 10_984, Users: 10_000, Items: 984, Positives: 366, Features: 172},
		Split:     ByTime(0.70, 0.85),
		HeldOut:   SampleHeldOut(2020),
		PaperName: "Reddit",
	}))

	mooc := jodie(Dataset{
		Name:      "mooc",
		Title:     "MOOC: students act on course items; label: the student drops out after this action",
		URL:       "http://snap.stanford.edu/jodie/mooc.csv",
		File:      "mooc.csv",
		Want:      Counts{Events: 411_749, Nodes: 7_144, Users: 7_047, Items: 97, Positives: 4_066, Features: 4},
		Split:     ByRow(0.60, 0.80),
		HeldOut:   SampleHeldOut(2020),
		Features:  []Derived{Raw(), Gap(Source), Gap(Destination), Count(Source)},
		Notes:     []string{"7 features, as the paper counts: the 4 of the public file and 3 derived ones (time gaps of both nodes, earlier actions of the student)"},
		PaperName: "MOOC",
	})
	Register(mooc)

	raw := mooc
	raw.Name = "mooc-raw4"
	raw.Features = nil
	raw.Notes = []string{"4 features, as in the public file; the paper has 7"}
	Register(raw)

	Register(Dataset{
		Name:     "amlsim-20k",
		Title:    "AMLSim: bank transfers with fan-in and cycle typologies; label: the transfer belongs to an alert",
		Citation: "Suzumura and Kanezashi: Anti-Money Laundering Datasets, IBM AMLSim, 2021",
		Licence:  "Apache-2.0",
		URL:      "https://github.com/IBM/AMLSim",
		Obtain:   "the sample fanin200cycle200 as columns src,dst,ts,label,amount, in order of time",
		File:     "amlsim-20k.csv",
		SHA256:   "b34f22ded411f66c74ef62e64c18a176b0ef5ca1f60872fdc93e6a7b330c3c9a",
		Layout:   Layout{Src: "src", Dst: "dst", Time: "ts", Label: "label", Features: []string{"amount"}},
		Want:     Counts{Events: 120_558, Nodes: 19_980, Positives: 13_844, Features: 1},
		Split:    ByRow(0.60, 0.70),
		HeldOut:  SampleHeldOut(2020),
		Labelled: true,
		Features: []Derived{Log1p(0), Gap(Source), Gap(Destination), Count(Source)},
		Notes:    []string{"simulated data; time is counted in simulation steps"},
	})

	Register(Dataset{
		Name:       "collegemsg",
		Title:      "CollegeMsg: private messages between students; no labels",
		Citation:   "Panzarasa, Opsahl and Carley: Patterns and dynamics of users' behavior and interaction, JASIST 60(5), 2009",
		Licence:    snapLicence,
		URL:        "https://snap.stanford.edu/data/CollegeMsg.html",
		Obtain:     "as columns src,dst,ts,label with label 0 everywhere",
		File:       "collegemsg.csv",
		SHA256:     "48c05a62771bd06e7e21d0631a8c826970d03d0518eaba431e4517a4047236b4",
		Layout:     Layout{Src: "src", Dst: "dst", Time: "ts"}, // the label says nothing: it is always 0
		Want:       Counts{Events: 59_835, Nodes: 1_899},
		Split:      ByTime(0.70, 0.85),
		HeldOut:    SampleHeldOut(2020),
		Substitute: GapsAndCounts(),
		Notes:      []string{"no features in this file"},
	})
}

// snapLicence is that of all files of SNAP.
const snapLicence = "not stated by the publisher (SNAP); linked, not shipped"

// jodie returns the dataset with what those published with JODIE have in common.
func jodie(d Dataset) Dataset {
	d.Citation = "Kumar, Zhang and Leskovec: Predicting Dynamic Embedding Trajectory in Temporal Interaction Networks, KDD 2019"
	d.Licence, d.Layout, d.Labelled = snapLicence, JODIE, true
	return d
}

// GapsAndCounts are the columns that stand in where a file has no features.
func GapsAndCounts() []Derived {
	return []Derived{Gap(Source), Gap(Destination), Count(Source), Count(Destination)}
}
