# What scripts/check-slurm and scripts/check-ray share; they set work, engine and seeds.
# shellcheck shell=bash disable=SC2154

suite=$work/check-cluster.yaml
bench=$work/bench

say() { printf '%4d s  %s\n' "$SECONDS" "$*"; }
fail() {
	say "FAILED: $*"
	exit 1
}

# all NAME FLAGS...: measures the suite in the folder NAME, and keeps its tables and messages beside it.
all() {
	local name=$1
	shift
	timeout 1200 "$bench" all "$suite" --out "$work/$name" "$@" >"$work/$name.tables" 2>"$work/$name.messages"
}

# on NAME: the same by tasks of the engine.
on() {
	local name=$1
	shift
	all "$name" --on "$engine" --on-options "$work/options.yaml" "$@"
}

# here makes what the others are compared with.
here() {
	sed "s/^seeds: .*/seeds: $seeds/" scripts/check-cluster.yaml >"$suite"
	rm -rf "$work/here"
	all here || fail "a run without engine: $(tail -3 "$work/here.messages")"
	say "here: $(tail -1 "$work/here.messages")"
}

# same NAME: its tables and its results.csv are those of a run here, byte for byte.
same() {
	cmp "$work/here.tables" "$work/$1.tables" || fail "other tables than here"
	cmp "$work/here/check-cluster/results.csv" "$work/$1/check-cluster/results.csv" || fail "another results.csv than here"
}

# over NAME: nothing of the job is left, and bench status says that all is done.
over() {
	local said
	said=$("$bench" status --out "$work/$1") || fail "bench status: $said"
	[[ $said == *" 0 running, 0 waiting, 0 failed, 0 lost; over"* ]] || fail "bench status: $said"
	[ -z "$(tasks "$1")" ] || fail "processes are left: $(tasks "$1")"
	for _ in $(seq 40); do # what the last task has reported before it ended
		! nothing_left || break
		sleep 0.5
	done
	nothing_left || fail "tasks are left in the engine"
	say "ok: $1: tables and results.csv byte for byte those of a run here; nothing is left; $(head -1 <<<"$said")"
}

# tasks NAME prints the processes of tasks.
tasks() { pgrep -f "$work/$1/.dgsbench/cluster/.*/bench work .* [1-9]" || true; }

# running NAME waits until a task runs.
running() {
	for _ in $(seq 600); do
		[ -z "$(tasks "$1")" ] || return 0
		sleep 0.1
	done
	fail "no task runs after a minute"
}

# kill_tasks NAME COUNT kills that many random tasks, one after the other.
kill_tasks() {
	local pid killed=0
	while [ "$killed" -lt "$2" ]; do
		running "$1"
		sleep "0.$((RANDOM % 10))"
		pid=$(tasks "$1" | shuf -n 1)
		if [ -n "$pid" ] && kill -KILL "$pid" 2>/dev/null; then
			killed=$((killed + 1))
		fi
	done
	say "killed $2 tasks"
}

# undisturbed compares times: those of the same chunks here, with the engine's dispatch of tasks that do nothing.
undisturbed() {
	local chunks dispatch start=$SECONDS took
	all chunks --on local --on-options "$work/options.yaml" || fail "--on local: $(tail -3 "$work/chunks.messages")"
	same chunks
	chunks=$((SECONDS - start))
	start=$SECONDS
	dispatch "$(find "$work/chunks/.dgsbench/cluster/check-cluster/reports" -name '[1-9]*.json' | wc -l)"
	dispatch=$((SECONDS - start))
	start=$SECONDS
	on undisturbed || fail "--on $engine: $(tail -3 "$work/undisturbed.messages")"
	took=$((SECONDS - start))
	same undisturbed
	over undisturbed
	say "undisturbed: $took s; the same chunks by processes here: $chunks s; dispatch of as many tasks that do nothing: $dispatch s; ($took - $dispatch) / $chunks = $(awk "BEGIN { printf \"%.2f\", ($took - $dispatch) / $chunks }"), expected at most 1.15"
	awk "BEGIN { exit !($took <= 1.15 * $chunks + $dispatch + 1) }" || fail "slower than expected" # the clock has seconds
}

# left: the process that submitted is killed, and the tables are there all the same.
left() {
	on left &
	local submitted=$!
	running left
	pkill -KILL -f "bench all .*--out $work/left " || fail "nobody to kill"
	wait "$submitted" || true
	say "killed the process that had submitted"
	for _ in $(seq 600); do
		if [ -z "$(tasks left)" ] && nothing_left; then break; fi
		sleep 0.5
	done
	cmp "$work/here/check-cluster/results.csv" "$work/left/check-cluster/results.csv" || fail "the last task made another results.csv than here"
	on left || fail "the same command again: $(tail -3 "$work/left.messages")"
	grep -q "0 trials measured" "$work/left.messages" || fail "measured again: $(tail -1 "$work/left.messages")"
	same left
	over left
}

# cancelled: bench cancel ends all, and the same command goes on.
cancelled() {
	on cancelled &
	local submitted=$!
	running cancelled
	"$bench" cancel --out "$work/cancelled" || fail "bench cancel"
	! wait "$submitted" || fail "bench all ended well after bench cancel"
	for _ in $(seq 100); do
		if [ -z "$(tasks cancelled)" ] && nothing_left; then break; fi
		sleep 0.5
	done
	[ -z "$(tasks cancelled)" ] && nothing_left || fail "tasks are left after bench cancel"
	say "cancelled: $(tail -1 "$work/cancelled.messages")"
	on cancelled || fail "the same command again: $(tail -3 "$work/cancelled.messages")"
	same cancelled
	over cancelled
}

# searched: a search with one trial at a time a model has the history of a search here, but for times.
searched() {
	local name flags=(tune --model dgs --dataset shop-sim --task nc --trials 4 --random 2 --epochs 2 --json)
	"$bench" "${flags[@]}" --out "$work/search-here" --workers 1 >"$work/search-here.json" 2>/dev/null || fail "bench tune"
	"$bench" "${flags[@]}" --out "$work/search" --on "$engine" --on-options "$work/options.yaml" >"$work/search.json" 2>"$work/search.messages" ||
		fail "bench tune --on $engine: $(tail -3 "$work/search.messages")"
	for name in search-here search; do
		grep -vE '"[a-z_]*(seconds|time|started|created|date)[a-z_]*":' "$work/$name.json" | sed "s|$work/$name|OUT|" >"$work/$name.values"
	done
	cmp "$work/search-here.values" "$work/search.values" || fail "another search than here"
	say "ok: bench tune: the same trials and values as here"
}
