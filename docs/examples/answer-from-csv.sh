#!/usr/bin/env bash
# Answers open questions from a CSV file, and lists those it could not answer.
#
#   docs/examples/answer-from-csv.sh answers.csv
#   docs/examples/answer-from-csv.sh answers.csv --agent intake    further options are passed to `parley inbox`
#
# Each row has a question's text and its answer; several rows with one text select several options:
#
#   question,answer
#   What kind of place suits the group?,Seaside
#   What should be part of it?,"Workshops"
#
# A question with several fields is sent with all its answers at once. Needs only bash 3.2 or later.
# Exit codes: 0 if all are answered, 2 if the file cannot be read, 3 if some questions are still open.
set -euo pipefail

read -ra parley <<<"${PARLEY:-npx parley}"
file=${1:-}
[[ -r $file && -f $file ]] || { echo "Usage: $0 answers.csv (the file must be readable)" >&2; exit 2; }

# Reads the next row from file descriptor 3 into `row`. A quoted field may contain commas, line breaks, and "" for a quote.
next_row() {
  local line='' field='' is_quoted=0
  row=()
  IFS= read -r line <&3 || [[ -n $line ]] || return 1
  while :; do
    if ((!is_quoted)); then line=${line%$'\r'}; fi
    if ((is_quoted)) && [[ $line != *\"* ]]; then
      field+=$line$'\n'
      IFS= read -r line <&3 || [[ -n $line ]] || { echo "Unclosed quote in $file." >&2; exit 2; }
    elif ((is_quoted)); then
      field+=${line%%\"*}
      line=${line#*\"}
      if [[ $line == \"* ]]; then field+=\" line=${line#\"}; else is_quoted=0; fi
    elif [[ $line == \"* && -z $field ]]; then
      is_quoted=1
      line=${line#\"}
    elif [[ $line == *,* ]]; then
      row+=("$field${line%%,*}")
      field=''
      line=${line#*,}
    else
      row+=("$field$line")
      return 0
    fi
  done
}

# Puts a text on one line, as `parley inbox --list` does.
on_one_line() {
  local text=${1//$'\r'/}
  printf '%s' "${text//$'\n'/ }"
}

bom=$'\xef\xbb\xbf'
texts=()
answers=()
exec 3<"$file"
while next_row; do
  ((${#row[@]} >= 2)) || continue
  texts+=("$(on_one_line "${row[0]#"$bom"}")")
  answers+=("${row[1]}")
done
exec 3<&-

# Adds the file's answers for a field with that text.
add() {
  local key=$1 text=$2 i
  for ((i = 0; i < ${#texts[@]}; i++)); do
    if [[ ${texts[i]} == "$text" ]]; then flags+=(--field "$key=${answers[i]}"); fi
  done
}

# Sends the answers for one question, all fields at once.
submit() {
  local reason='The file has no answer.'
  if ((${#flags[@]})) && reason=$("${parley[@]}" answer "$conversation" --question "$question" "${flags[@]}" </dev/null 2>&1 >/dev/null); then
    answered=$((answered + 1))
    echo "Answered: $first"
  else
    left=$((left + 1))
    echo "Not answered: $first ($conversation): ${reason#parley: }" >&2
  fi
}

answered=0
left=0
conversation=''
question=''
flags=()
# Into a variable first, so that a failure to read the inbox ends this script with its exit code.
listed=$("${parley[@]}" inbox --list --fields "${@:2}" </dev/null)
while IFS=$'\t' read -r its_conversation its_question key _header text; do
  if [[ $its_conversation/$its_question != "$conversation/$question" ]]; then
    if [[ -n $conversation ]]; then submit; fi
    conversation=$its_conversation
    question=$its_question
    first=$text
    flags=()
  fi
  if [[ -n $key ]]; then add "$key" "$text"; fi
done <<<"$listed"
if [[ -n $conversation ]]; then submit; fi

echo "$answered answered, $left left."
if ((left)); then exit 3; fi
