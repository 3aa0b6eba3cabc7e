#!/usr/bin/env bash
# Answers what waits in the inbox from a CSV file, and says what it could not answer.
#
#   docs/examples/answer-from-csv.sh answers.csv
#
# Each row is the text of a question and its answer; several rows for one text are several choices:
#
#   question,answer
#   What kind of place suits the group?,Seaside
#   What should be part of it?,"Workshops"
#
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

texts=()
answers=()
exec 3<"$file"
while next_row; do
  ((${#row[@]} >= 2)) || continue
  texts+=("${row[0]#$'\xef\xbb\xbf'}")
  answers+=("${row[1]}")
done
exec 3<&-

# Tries to answer with these flags: 0 answered, 2 no such field, 5 does not fit or is not complete. Why is in `reason`.
try() {
  reason=$("${parley[@]}" answer "$conversation" --question "$question" "$@" </dev/null 2>&1 >/dev/null)
}

# The flags that give a field, by that name, every answer there is to the text: into `given`.
give() {
  local i
  given=()
  for i in "${!texts[@]}"; do
    if [[ ${texts[i]} == "$2" ]]; then given+=(--field "$1=${answers[i]}"); fi
  done
}

# One text after the other: what the question has no field for is left out, until the answer is complete.
answer() {
  local first=$1 is_single=$2 flags=() code=0 text
  reason='There is no answer to it in the file.'
  give q1 "$first"
  if ((${#given[@]})); then
    flags=("${given[@]}")
    try "${flags[@]}" || code=$?
    if ((code == 0)); then return 0; fi
  fi
  if ((is_single)); then return 1; fi
  while IFS= read -r -d '' text; do
    give "$text" "$text"
    code=0
    try ${flags[@]+"${flags[@]}"} "${given[@]}" || code=$?
    if ((code == 0)); then return 0; fi
    if ((code == 5)); then flags+=("${given[@]}"); fi
  done < <(others "$first")
  # Once more, for what is wrong with all of them.
  if ((${#flags[@]})); then try "${flags[@]}"; else return 1; fi
}

# Every text of the file but that one, once.
others() {
  if ((${#texts[@]})); then printf '%s\0' "${texts[@]}" | sort -zu | grep -zFxv -- "$1" || true; fi
}

answered=0
left=0
while IFS=$'\t' read -r conversation question _agent _expires headline; do
  first=$headline
  is_single=1
  if [[ $headline =~ ^(.*)\ \(and\ [0-9]+\ more\)$ ]]; then
    first=${BASH_REMATCH[1]}
    is_single=0
  fi
  if answer "$first" "$is_single"; then
    answered=$((answered + 1))
    echo "Answered: $headline"
  else
    left=$((left + 1))
    echo "Not answered: $headline ($conversation): ${reason#parley: }" >&2
  fi
done < <("${parley[@]}" inbox --list </dev/null)

echo "$answered answered, $left left."
if ((left)); then exit 3; fi
