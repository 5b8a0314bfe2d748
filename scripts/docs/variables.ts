import { SECRET_VARIABLES, VARIABLE_NAMES, Variables } from '../../src/schemas/config/config.ts'

/** Every variable in the order of the schema: what it does, and its default (empty: none). */
export const describedVariables = () =>
  VARIABLE_NAMES.map((name) => {
    const variable = Variables.shape[name]
    const says = variable.description
    if (says === undefined) throw new Error(`${name} is not described`)
    const secret = SECRET_VARIABLES.has(name) && !says.startsWith('secret') ? 'secret; ' : ''
    const standing: unknown = variable.parse(undefined)
    return { name, says: secret + says, standing }
  })
