# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Functions that run long steps of a command, for scripts that source this file. Output goes to $logs.

# follow LOG WHAT: shows the last line of a step's log on the terminal, until `try` kills the process of
# this function. ninja's lines tell how many of its steps are done, and those of apt and pip name the
# package.
follow() {
  local line room
  room=$((${COLUMNS:-$(tput cols 2>/dev/null || echo 80)} - ${#2} - 6))
  while kill -0 $$ 2>/dev/null; do # stops when the script was interrupted
    line=$(tail -n 1 "$1" 2>/dev/null | tr -cd '[:print:]')
    printf '\r%s ... %.*s\033[K' "$2" "$((room > 0 ? room : 0))" "$line"
    sleep 0.3
  done
}

# try NAME WHAT COMMAND...: runs a step, and prints its description and its time. The step's output goes to
# $logs/NAME.log; if the step fails, the end of the output is printed.
try() {
  local log=$logs/$1.log what=$2 start=$SECONDS status=0 follower=
  shift 2
  : >"$log"
  printf '%s ... ' "$what"
  if [[ -t 1 ]]; then
    follow "$log" "$what" &
    follower=$!
  fi
  "$@" >"$log" 2>&1 </dev/null || status=$?
  if [[ -n $follower ]]; then
    kill "$follower"
    wait "$follower" 2>/dev/null || true
    printf '\r%s ... \033[K' "$what"
  fi
  if ((status == 0)); then
    printf 'done in %d s\n' $((SECONDS - start))
  else
    printf 'failed after %d s\n' $((SECONDS - start))
    tail -n 25 "$log" | sed 's/^/  | /' >&2
    printf 'the whole output is in %s\n' "$log" >&2
  fi
  return "$status"
}
