#!/usr/bin/env bash
# What a card of compute capability 9.0 makes of the PTX here: registers and
# spills of every kernel of a module, and the instructions of its larger
# loops. A loop's instructions include those of loops in it. Needs ptxas and
# nvdisasm of the toolkit of gen.sh.
#
#     kernels/cuda/mix.sh ranking gemm jacobian
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
for module; do
	ptxas -v -arch=sm_90 -o "$work/cubin" "$module.ptx" 2>&1 |
		awk '/Compiling/ { name = $7 } /spill/ { spills = $5 } /Used/ { print name ": " $5 " registers, " spills " bytes spilled" }'
	nvdisasm -c "$work/cubin" | awk '
		/^\.text\./ { kernel = $1; sub(/^\.text\./, "", kernel); delete label; n = 0 }
		/^\.L_x_/ { sub(":", "", $1); label[$1] = n }
		match($0, /\/\*[0-9a-f]+\*\/ +[^;]+;/) {
			line = substr($0, RSTART, RLENGTH)
			sub(/^[^ ]+ +/, "", line)
			sub(/^@!?U?P[0-9T]+ /, "", line)
			split(line, word, /[ ;]/)
			name = word[1]
			wide = name ~ /\.128/ ? ".128" : name ~ /^(LD|ST).*\.64/ ? ".64" : ""
			sub(/\..*/, "", name)
			op[++n] = name wide
			if (name != "BRA" || !match(line, /\.L_x_[0-9]+/)) next
			to = substr(line, RSTART, RLENGTH)
			if (!(to in label) || n - label[to] < 50) next
			delete count
			for (i = label[to] + 1; i <= n; i++) count[op[i]]++
			text = ""
			for (name in count) if (count[name] > 7) text = text " " count[name] " " name
			print kernel, n - label[to] ":" text
		}'
done
