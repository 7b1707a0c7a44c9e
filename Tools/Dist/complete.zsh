# Prints what zsh offers for command lines, one after another.
#
# usage: zsh -f Tools/Dist/complete.zsh FOLDER LINE...        FOLDER has the completions
#
# Completing works only at a prompt, so that it is done in a shell of its own behind a terminal.
zmodload zsh/zpty || exit 1
zpty shell zsh -f -i
zpty -w shell "PS1= ; setopt no_beep; fpath=(${(q)1} \$fpath); autoload -Uz compinit; compinit -D -u"
# Each of what is offered as a line, and nothing put on the command line.
zpty -w shell 'compadd() {
  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
  typeset -a offered
  builtin compadd -O offered "$@"
  (( $#offered )) && print -rl -- "<offered>"${^offered}
}'
zpty -w shell 'complete_only() { _main_complete; compstate[insert]=; compstate[list]=; print -r "<done>" }'
zpty -w shell 'zle -C complete-only complete-word complete_only; bindkey "^I" complete-only; print "<"ready">"'
zpty -r -m shell ready '*<ready>*' || exit 1
for line in "${@[2,-1]}"; do
  zpty -n -w shell "$line"$'\t'
  zpty -r -m shell offered '*<done>*' || exit 1
  print -rl -- ${${(M)${(f)${offered//$'\r'/}}:#*<offered>*}#*<offered>}
  # Away with the line.
  zpty -n -w shell $'\x15'
done
zpty -d shell
