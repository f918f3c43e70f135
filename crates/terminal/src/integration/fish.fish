# Tells the terminal where prompts, commands and their exit codes are, with marks that carry a
# number only this shell knows. Read by an interactive fish after the user's own files.

set -gu __openspace_nonce ''
if test -s (status dirname)/nonce
    read -gu __openspace_nonce <(status dirname)/nonce
    echo -n >(status dirname)/nonce
end

if status is-interactive; and test -n "$__openspace_nonce"
    function __openspace_mark
        builtin printf '\e]633;%s;%s\a' (string join ';' -- $argv) $__openspace_nonce
    end

    function __openspace_escape
        set -l text (string sub --length 900 -- $argv[1] \
            | string replace --all '\\' '\\\\' | string replace --all ';' '\x3b' \
            | string replace --all \t '\x09' | string replace --all --regex '[[:cntrl:]]' '?' \
            | string join '\x0a')
        if test (string length -- $argv[1]) -gt 900
            set text $text…
        end
        echo -n $text
    end

    # fish leaves tabs out of what is pasted, which changes a command.
    bind -M paste \t 'commandline -i \t'

    function __openspace_started --on-event fish_preexec
        __openspace_mark E (__openspace_escape $argv[1])
        __openspace_mark C
    end

    function __openspace_finished --on-event fish_postexec
        __openspace_mark D $status
    end

    function __openspace_prompt --on-event fish_prompt
        # The user may have given the prompt another function.
        if not string match --quiet '*__openspace_mark*' -- (functions fish_prompt | string collect)
            functions --erase __openspace_user_prompt
            functions --copy fish_prompt __openspace_user_prompt
            function fish_prompt
                __openspace_user_prompt
                __openspace_mark B
            end
        end
        __openspace_mark P Cwd=(__openspace_escape $PWD)
        __openspace_mark A
    end
end
