/**
 * Completion for bash, by bash alone: it needs no package, and may be sourced again. bash splits words at
 * `=` and `:`, so the words are read of the line, and what bash keeps of the last one is cut off each reply.
 * The program is asked without `eval`: nothing that is on the line runs.
 */
export const bashCompletion = (name: string): string => `# bash completion for ${name}

__${name}_complete() {
    local line=\${COMP_LINE:0:COMP_POINT} words cur kept='' found one directive=0
    read -ra words <<< "$line"
    [[ $line == *[[:space:]] ]] && words+=('')
    cur=\${words[\${#words[@]} - 1]}
    [[ $cur == *[=:]* ]] && kept=\${cur%"\${cur##*[=:]}"}
    COMPREPLY=()
    found=$(command "\${words[0]}" complete -- "\${words[@]:1}" 2>/dev/null) || return 0
    while IFS= read -r one; do
        if [[ $one =~ ^:([0-9]+)$ ]]; then
            directive=\${BASH_REMATCH[1]}
            continue
        fi
        one=\${one%%$'\\t'*}
        # Asked for an option with its value, the program answers with the value alone.
        [[ $cur == --*=* && $one != --* ]] && one=\${cur%%=*}=$one
        [[ -n $one && $one == "$cur"* ]] && COMPREPLY+=("\${one#"$kept"}")
    done <<< "$found"
    # 2: no space after the word; 4: no names of files where there is no word.
    if ((directive & 2)); then compopt -o nospace 2>/dev/null; fi
    if ((directive & 4)); then compopt +o default 2>/dev/null; fi
    return 0
}

complete -o default -F __${name}_complete ${name}
`
