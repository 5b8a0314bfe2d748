import { describedVariables } from './variables.ts'

const INTRODUCTION = `# Every variable, with what stands where it is not set; made by \`npm run docs\` of src/schemas/config/config.ts.
# The service reads its environment alone, and no file of this name: node --env-file=.env dist/cli/main.js start
`

/** Comments alone: a copy of it changes nothing until a line is made one of its own. */
export function envExample(): string {
  const variables = describedVariables().map(
    ({ name, says, standing }) => `# ${says}\n# ${name}=${String(standing ?? '')}\n`,
  )
  return [INTRODUCTION, ...variables].join('\n')
}
