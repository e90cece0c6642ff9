# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Steps of a command that take long, for scripts that source this. Their output goes to $logs.

# follow LOG WHAT: until it is ended, shows on a terminal the last line that a step has written: ninja's
# has how many of its steps are done, those of apt and pip have the package.
follow() {
  local line room
  room=$((${COLUMNS:-$(tput cols 2>/dev/null || echo 80)} - ${#2} - 6))
  while kill -0 $$ 2>/dev/null; do # an interrupted script ends without a word
    line=$(tail -n 1 "$1" 2>/dev/null | tr -cd '[:print:]')
    printf '\r%s ... %.*s\033[K' "$2" "$((room > 0 ? room : 0))" "$line"
    sleep 0.3
  done
}

# try NAME WHAT COMMAND...: runs a step, says what it does and how long it took; its output is kept in
# $logs/NAME.log. Shows the end of that if it fails.
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
