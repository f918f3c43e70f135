# Tells the terminal where prompts, commands and their exit codes are, with marks that carry a
# number only this shell knows. Read by zsh as `.zshenv`, because the start of the shell was given
# this folder as ZDOTDIR; all other files are then read from where the user has them.

typeset -g +x __openspace_nonce=''
if [[ -s ${${(%):-%x}:h}/nonce ]]; then
    IFS= read -r __openspace_nonce <${${(%):-%x}:h}/nonce
    : >|${${(%):-%x}:h}/nonce
fi
if (( ${+OPENSPACE_ZDOTDIR} )); then
    export ZDOTDIR=$OPENSPACE_ZDOTDIR
    unset OPENSPACE_ZDOTDIR
else
    unset ZDOTDIR
fi

if [[ -o interactive && -n $__openspace_nonce ]]; then
    typeset -g +x __openspace_text=''

    __openspace_escape() {
        emulate -L zsh
        setopt no_xtrace no_err_exit no_err_return
        local text=${1[1,900]}
        text=${text//\\/\\\\}
        text=${text//;/\\x3b}
        text=${text//$'\n'/\\x0a}
        text=${text//$'\t'/\\x09}
        text=${text//[[:cntrl:]]/\?}
        (( ${#1} > 900 )) && text+=…
        __openspace_text=$text
    }

    __openspace_prompt() {
        local code=$?
        emulate -L zsh
        setopt no_xtrace no_err_exit no_err_return
        builtin printf '\e]633;D;%s;%s\a' $code $__openspace_nonce
        __openspace_escape $PWD
        builtin printf '\e]633;P;Cwd=%s;%s\a\e]633;A;%s\a' \
            "$__openspace_text" $__openspace_nonce $__openspace_nonce

        if (( ! $+functions[add-zle-hook-widget] )); then
            autoload -Uz add-zle-hook-widget
            add-zle-hook-widget line-init __openspace_edit 2>/dev/null
        fi
        # A theme may set its prompts anew each time, and add itself behind this function.
        if [[ ${precmd_functions[-1]} != __openspace_prompt ]]; then
            precmd_functions=(${precmd_functions:#__openspace_prompt} __openspace_prompt)
        fi
        local end=$'%{\e]633;B;'$__openspace_nonce$'\a%}'
        local more=$'%{\e]633;F;'$__openspace_nonce$'\a%}'
        # Before anything precmd may print, zsh marks a line without an end. The output of the
        # command ends before that mark.
        local finished=$'%{\e]633;D;%?;'$__openspace_nonce$'\a%}'
        [[ ${PS1-} == *$end ]] || PS1=${PS1-}$end
        [[ ${PS2-} == *$more* ]] || PS2=$more${PS2-}
        [[ ${PROMPT_EOL_MARK-} == *$finished* ]] ||
            typeset -g +x PROMPT_EOL_MARK=$finished${PROMPT_EOL_MARK-%B%S%#%s%b}
        return 0
    }

    __openspace_started() {
        emulate -L zsh
        setopt no_xtrace no_err_exit no_err_return
        __openspace_escape "$1"
        builtin printf '\e]633;E;%s;%s\a\e]633;C;%s\a' \
            "$__openspace_text" $__openspace_nonce $__openspace_nonce
    }

    # A prompt that was set behind our back has no mark in it. The editor starts right behind it.
    __openspace_edit() {
        emulate -L zsh
        setopt no_xtrace
        builtin printf '\e]633;B;%s\a' $__openspace_nonce >$TTY
    }

    typeset -ga precmd_functions preexec_functions
    precmd_functions+=(__openspace_prompt)
    preexec_functions+=(__openspace_started)
fi

if [[ -r ${ZDOTDIR-$HOME}/.zshenv ]]; then
    . ${ZDOTDIR-$HOME}/.zshenv
fi
