package sim

// frozen pins the registered simulators: the checksum of parameters and seed,
// and the SHA-256 of the first 20,000 events.
var frozen = map[string]struct{ params, events string }{
	"wikipedia-sim": {
		"289cbd65a4aca3460123334b76671a11746b73f4fd0ac2b9a4d970f8c121d1fb",
		"5e2bfa7b300b8723d250f60ed51b6636983274f66c05717e7df4fadc11f79b83",
	},
	"reddit-sim": {
		"04406a5541bb1cd4fecedc372bd5937a51cdb69432b6b4a91313b0b2642ab6d0",
		"174700def46580a4977f67698b465ae1477c39750a45d82d8bd1974ecffc65dd",
	},
	"mooc-sim": {
		"cae47f81f58d51e591f3e20bf5f03998808b5169448c810d2b6cb60e6a5519c9",
		"3c276356a3e951040132ae2da77b593f46b13f746e32facee26f977023a6c856",
	},
	"fi-a-sim": {
		"d4a53c65efe074a5d0cbd46a7470c49113520620d9063b7ea49b8209b9c7ab0d",
		"39254ff5aa5e13e28b4febfc3bb3bb26e6fab00c9592b35b0e15c3cb88a9a121",
	},
	"fi-b-sim": {
		"0d96bbcbc0e715b6eede10ab3f91e2c2c9976db02a6f9efbba56febdf1a70913",
		"8fb7189f25473cfd257df5e827331ef47e32e3813fa71f6d256aeebb494c9d13",
	},
	"shop-sim": {
		"4226e7e1d48c8a8370f7571bfab85ad58198b1d5ea28dc87c1f5a41921cc3c0c",
		"aae62d417c5c509781c51a34332f571eb877d27a6c75dd7cc68142f1e9938715",
	},
	"transfers-sim": {
		"c3eaf71076cd28e1653b3f0b4fcc2c93c53b8b52dc171e226318770d32e4ec2b",
		"962cef867179aa61a5c4d541728fefc0eb2554918a7295e3e68edc5b813d17e7",
	},
}
