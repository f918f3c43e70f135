# Tells the terminal where prompts, commands and their exit codes are, with marks that carry a
# number only this shell knows. Read by an interactive bash as its rc file.

__openspace_nonce=
if [[ -s ${BASH_SOURCE[0]%/*}/nonce ]]; then
    IFS= read -r __openspace_nonce <"${BASH_SOURCE[0]%/*}/nonce" || :
    : >|"${BASH_SOURCE[0]%/*}/nonce"
fi

# The rc file of the system is read by bash itself, before this one. `|| :` keeps a file that sets
# errexit and ends with a failure from ending the shell.
if [[ -n ${OPENSPACE_LOGIN-} ]]; then
    unset OPENSPACE_LOGIN
    [[ -r /etc/profile ]] && { . /etc/profile || :; }
    for __openspace_file in ~/.bash_profile ~/.bash_login ~/.profile; do
        if [[ -r $__openspace_file ]]; then
            . "$__openspace_file" || :
            break
        fi
    done
    unset __openspace_file
elif [[ -r ~/.bashrc ]]; then
    . ~/.bashrc || :
fi

# PS0, which says when a command starts, is there since bash 4.4.
if [[ -n $__openspace_nonce ]] && ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)); then
    __openspace_empty=
    # Has the name of the function: see `keep` below.
    __openspace_prompt=0
    __openspace_reported=
    __openspace_history=

    # Leaves its result in the caller's `text`.
    __openspace_escape() {
        text=${1:0:900}
        text=${text//\\/'\\'}
        text=${text//;/'\x3b'}
        text=${text//$'\n'/'\x0a'}
        text=${text//$'\t'/'\x09'}
        text=${text//[[:cntrl:]]/'?'}
        if ((${#1} > 900)); then text+=…; fi
    }

    __openspace_finished() {
        local code=$?
        builtin printf '\e]633;D;%s;%s\a' "$code" "$__openspace_nonce"
        __openspace_reported=1
        # Without an array of prompt commands the next one looks at our result.
        if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 501)) && [[ $- != *e* ]]; then
            return "$code"
        fi
    }

    __openspace_prompt() {
        { local code=$? text end more keep -; set +x; } 2>/dev/null
        if [[ -z $__openspace_reported ]]; then
            builtin printf '\e]633;D;%s;%s\a' "$code" "$__openspace_nonce"
        fi
        __openspace_reported=
        __openspace_history=$(HISTTIMEFORMAT= builtin history 1) || __openspace_history=
        __openspace_escape "$PWD"
        builtin printf '\e]633;P;Cwd=%s;%s\a\e]633;A;%s\a' \
            "$text" "$__openspace_nonce" "$__openspace_nonce"

        # A theme may set its prompts anew each time.
        end="\\[\\e]633;B;$__openspace_nonce\\a\\]"
        more="\\[\\e]633;F;$__openspace_nonce\\a\\]"
        if [[ ${PS1-} != *"$end" ]]; then PS1=${PS1-}$end; fi
        if [[ ${PS2-} != *"$more"* ]]; then PS2=$more${PS2-}; fi
        if [[ ${PS0-} != *__openspace_started* && ${PS0-} != *"633;C;$__openspace_nonce"* ]]; then
            keep=
            # Puts this function back when somebody has set PROMPT_COMMAND anew, as reading the
            # user's rc file again does. The name it yields is an offset of zero into nothing.
            if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501)); then
                keep='${__openspace_empty:${PROMPT_COMMAND[99]:=__openspace_prompt}}'
            fi
            if shopt -q promptvars; then
                PS0=${PS0-}$keep'$(__openspace_started)'
            else
                PS0=${PS0-}"\\e]633;C;$__openspace_nonce\\a"
            fi
        fi
    }

    # Runs in a subshell of PS0.
    __openspace_started() {
        { set +xeu; } 2>/dev/null
        local line text
        line=$(HISTTIMEFORMAT= builtin history 1)
        # A command that the history did not take is not the one before it.
        if [[ $line != "$__openspace_history" && $line =~ ^\ *[0-9]+[*\ ]\  ]]; then
            __openspace_escape "${line:${#BASH_REMATCH[0]}}"
            builtin printf '\e]633;E;%s;%s\a' "$text" "$__openspace_nonce"
        fi
        builtin printf '\e]633;C;%s\a' "$__openspace_nonce"
    }

    if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501)); then
        # What tracing prints of it would be taken for output of the command.
        PROMPT_COMMAND=('{ __openspace_finished; } 2>/dev/null' "${PROMPT_COMMAND[@]}")
        PROMPT_COMMAND[99]=__openspace_prompt
    else
        PROMPT_COMMAND="__openspace_finished
${PROMPT_COMMAND-}
__openspace_prompt"
    fi
fi
:
