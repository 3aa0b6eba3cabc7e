#!/usr/bin/env bash
# Answers what waits in the inbox from a CSV file, and says what it could not answer.
#
#   docs/examples/answer-from-csv.sh answers.csv
#   docs/examples/answer-from-csv.sh answers.csv --agent intake    what comes after the file is for `parley inbox`
#
# Each row is the text of a question and its answer; several rows for one text are several choices:
#
#   question,answer
#   What kind of place suits the group?,Seaside
#   What should be part of it?,"Workshops"
#
# A question with several fields is sent with all that the file has to them. Needs bash 3.2 or later, and nothing else.
# Ends with 0 where nothing is left, 3 where some questions wait on, 2 where the file cannot be read.
set -euo pipefail

read -ra parley <<<"${PARLEY:-npx parley}"
file=${1:-}
[[ -r $file && -f $file ]] || { echo "Name a file with questions and answers: $0 answers.csv" >&2; exit 2; }

# The next row of the file on 3, into `row`. A field in quotes may hold commas, line breaks and "" for a quote.
next_row() {
  local line='' field='' is_quoted=0
  row=()
  IFS= read -r line <&3 || [[ -n $line ]] || return 1
  while :; do
    if ((!is_quoted)); then line=${line%$'\r'}; fi
    if ((is_quoted)) && [[ $line != *\"* ]]; then
      field+=$line$'\n'
      IFS= read -r line <&3 || [[ -n $line ]] || { echo "A quote in $file is never closed." >&2; exit 2; }
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

# A text on one line, as `parley inbox --list` has it.
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

# Adds every answer that the file has to a field of that text.
add() {
  local key=$1 text=$2 i
  for ((i = 0; i < ${#texts[@]}; i++)); do
    if [[ ${texts[i]} == "$text" ]]; then flags+=(--field "$key=${answers[i]}"); fi
  done
}

# Sends what there is for one question, all of its fields at once.
settle() {
  local reason='There is no answer to it in the file.'
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
# First into a variable: where the inbox cannot be read, this ends as it did.
listed=$("${parley[@]}" inbox --list --fields "${@:2}" </dev/null)
while IFS=$'\t' read -r its_conversation its_question key _header text; do
  if [[ $its_conversation/$its_question != "$conversation/$question" ]]; then
    if [[ -n $conversation ]]; then settle; fi
    conversation=$its_conversation
    question=$its_question
    first=$text
    flags=()
  fi
  if [[ -n $key ]]; then add "$key" "$text"; fi
done <<<"$listed"
if [[ -n $conversation ]]; then settle; fi

echo "$answered answered, $left left."
if ((left)); then exit 3; fi
