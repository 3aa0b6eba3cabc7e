#!/usr/bin/env bash
# Runs a conversation to its end unattended: answers its questions by rule, and skips those without a rule.
#
#   docs/examples/run-to-the-end.sh "Plan our team offsite"
#
# Exit codes: 0 completed, 1 failed or cancelled, 2 wrong usage, 3 still asking after 50 rounds.
set -euo pipefail

read -ra parley <<<"${PARLEY:-npx parley}"
rounds=50

# The rules: the flags of `parley answer` for a question, one per line.
flags_for() {
  case $1 in
    'What kind of place suits the group?'*) printf '%s\n' --field Place=Seaside --field Programme=Workshops ;;
    'Send the invitation:'*) printf '%s\n' --field 'q1=Yes, proceed' --comment 'By rule' ;;
  esac
}

# Answers or skips one question. If someone else was quicker, that is fine too.
handle() {
  local id=$1 question=$2 headline=$3 flag
  local flags=()
  while IFS= read -r flag; do flags+=("$flag"); done < <(flags_for "$headline")
  if ((${#flags[@]})); then
    "${parley[@]}" answer "$id" --question "$question" "${flags[@]}" </dev/null
  else
    "${parley[@]}" decline "$id" --question "$question" --reason 'No rule for this question' </dev/null
  fi
}

((1 <= $#)) || { echo "Usage: $0 \"Plan our team offsite\"" >&2; exit 2; }
id=$("${parley[@]}" start --detach "$@")

for ((round = 0; round < rounds; round++)); do
  code=0
  "${parley[@]}" watch "$id" --no-input </dev/null || code=$?
  ((code == 3)) || exit "$code"
  while IFS=$'\t' read -r conversation question _agent _expires headline; do
    handle "$conversation" "$question" "$headline" >&2 || echo "Not answered: $headline" >&2
  done < <("${parley[@]}" inbox --list --conversation "$id" </dev/null)
  sleep 1
done
echo "$id still asks after $rounds rounds. See: parley watch $id" >&2
exit 3
