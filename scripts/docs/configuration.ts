import { SECRET_VARIABLES, VARIABLE_NAMES, Variables } from '../../src/schemas/config.ts'

const INTRODUCTION = `# Configuration

Every variable of the environment, in the order of \`src/schemas/config.ts\`; this page is made by \`npm run docs\`. Each may
stand as \`NAME_FILE\` too: the path of a file whose content is the value. All problems of a configuration are told at
once, and \`npm run market -- config\` prints what is in force, secrets redacted.
`

/** One row a variable: its default, and what it does. */
export function configurationPage(): string {
  const rows = VARIABLE_NAMES.map((name) => {
    const variable = Variables.shape[name]
    const says = variable.description
    if (says === undefined) throw new Error(`${name} is not described`)
    const given = variable.parse(undefined)
    const standing = given === undefined ? '' : `\`${String(given)}\``
    const secret = SECRET_VARIABLES.has(name) && !says.startsWith('secret') ? 'secret; ' : ''
    return `| \`${name}\` | ${standing} | ${secret}${says.replaceAll('|', '\\|')} |`
  })
  return [
    INTRODUCTION,
    '| variable | default | meaning |',
    '| --- | --- | --- |',
    ...rows,
    '',
  ].join('\n')
}
