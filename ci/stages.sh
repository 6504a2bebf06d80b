# Sourced by the other scripts: changes to the top of the repository, and provides functions that run named stages and print a table of their times.

cd "$(dirname "${BASH_SOURCE[0]}")/.."
names=() times=() loads=() failed=() worked=0

# need COMMAND WHAT: stops unless COMMAND can be run.
need() {
    local command=$1 what=$2
    if ! $command > /dev/null 2>&1; then
        echo "$what is missing: '$command' does not run" >&2
        exit 2
    fi
}

# some WHAT LIST: stops if the list to be processed is empty: checking nothing is not a pass.
some() {
    local what=$1 list=$2
    if [[ -z ${list//[[:space:]]/} ]]; then
        echo "the list of $what is empty" >&2
        exit 2
    fi
}

# work: sets `worked` to the processor time, in seconds, of the children that have ended.
work() {
    local file
    # Not in a pipe: that would run in another process, which has no children.
    file=$(mktemp)
    times > "$file"
    # The second line is for children, user and system, as in 1m2.345s.
    worked=$(awk 'NR == 2 { for (at = 1; at <= 2; at++) { split($at, part, /[ms]/); sum += 60 * part[1] + part[2] } print int(sum) }' "$file")
    rm -f "$file"
}

# summary RESULT: the table.
summary() {
    local at
    work
    printf '\n%-34s %8s %10s\n' stage seconds processor
    for at in "${!names[@]}"; do
        printf '%-34s %8d %10d\n' "${names[at]}" "${times[at]}" "${loads[at]}"
    done
    printf '%-34s %8d %10d   %s\n' "all" "$SECONDS" "$worked" "$1"
}

# stage NAME COMMAND...: runs a command; if it fails, the script fails: at once, or with `keep_going=1` at its summary.
stage() {
    local name=$1 start=$SECONDS status=0 before
    work
    before=$worked
    shift
    printf '\n== %s: %s\n' "$name" "$*"
    "$@" || status=$?
    work
    names+=("$name") times+=($((SECONDS - start))) loads+=($((worked - before)))
    if [[ $status != 0 ]]; then
        failed+=("$name")
        if [[ -z ${keep_going:-} ]]; then
            summary "FAILED in '$name'"
            exit "$status"
        fi
        printf "FAILED in '%s', exit status %d\n" "$name" "$status" >&2
    fi
}

# finish RESULT: the table, and exit status 1 if a stage has failed.
finish() {
    if [[ ${#failed[@]} != 0 ]]; then
        summary "FAILED in $(printf "'%s' " "${failed[@]}")"
        exit 1
    fi
    summary "$1"
}
