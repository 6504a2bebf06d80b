# Sourced by the other scripts: goes to the top of the repository and runs named stages, with a table of their times at the end.

cd "$(dirname "${BASH_SOURCE[0]}")/.."
names=() times=()

# need COMMAND WHAT: stops unless COMMAND runs.
need() {
    local command=$1 what=$2
    if ! $command > /dev/null 2>&1; then
        echo "$what is missing: '$command' does not run" >&2
        exit 2
    fi
}

# some WHAT LIST: stops if there is nothing in a list that is gone through: no run of nothing is a pass.
some() {
    local what=$1 list=$2
    if [[ -z ${list//[[:space:]]/} ]]; then
        echo "the list of $what is empty" >&2
        exit 2
    fi
}

# summary RESULT: the table.
summary() {
    local at
    printf '\n%-34s %8s\n' stage seconds
    for at in "${!names[@]}"; do
        printf '%-34s %8d\n' "${names[at]}" "${times[at]}"
    done
    printf '%-34s %8d   %s\n' "all" "$SECONDS" "$1"
}

# stage NAME COMMAND...: runs a command; if it fails, so does the script.
stage() {
    local name=$1 start=$SECONDS status=0
    shift
    printf '\n== %s: %s\n' "$name" "$*"
    "$@" || status=$?
    names+=("$name") times+=($((SECONDS - start)))
    if [[ $status != 0 ]]; then
        summary "FAILED in '$name'"
        exit "$status"
    fi
}
