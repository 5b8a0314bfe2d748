import { describedVariables } from './variables.ts'

const INTRODUCTION = `# Configuration

Every variable of the environment, in the order of \`src/schemas/config/config.ts\`; this page is made by \`npm run docs\`. Each may
stand as \`NAME_FILE\` too: the path of a file whose content is the value. All problems of a configuration are told at
once, and \`npm run market -- config\` prints what is in force, secrets redacted.
`

/** One row a variable: its default, and what it does. */
export function configurationPage(): string {
  const rows = describedVariables().map(({ name, says, standing }) => {
    const byDefault = standing === undefined ? '' : `\`${String(standing)}\``
    return `| \`${name}\` | ${byDefault} | ${says.replaceAll('|', '\\|')} |`
  })
  return [
    INTRODUCTION,
    '| variable | default | meaning |',
    '| --- | --- | --- |',
    ...rows,
    '',
  ].join('\n')
}
