#!/usr/bin/env bash
# Makes the PTX of every .cu file here, and writes into it what it was made
# of. Needs nvcc 11.8: Debian 12's nvidia-cuda-toolkit and nvidia-cuda-dev
# (non-free, --no-install-recommends).
#
# compute_70 is the oldest card that newer compilers still take. The text needs
# nothing of PTX 7.8, and with a lower version older drivers read it, too. What
# is not written as a fused multiply-add is none (-fmad=false): so a card and
# the emulator of the tests round alike.
set -euo pipefail
export LC_ALL=C # sorts the headers
cd "$(dirname "$0")"
for source in *.cu; do
	ptx=${source%.cu}.ptx
	nvcc -std=c++17 -O3 -fmad=false -ptx -arch=compute_70 "$source" -o "$ptx.new"
	{
		echo "// made by gen.sh of sources $(cat gen.sh *.h "$source" | sha256sum | cut -d' ' -f1)"
		sed 's/^\.version .*/.version 6.3/' "$ptx.new"
	} >"$ptx"
	rm "$ptx.new"
	if command -v ptxas >/dev/null; then
		ptxas -arch=sm_70 -o /dev/null "$ptx"
	fi
done
