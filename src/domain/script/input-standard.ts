import { isWitnessProgram } from './relay.ts'
import { instructionsOf, isPushing } from './script-instructions.ts'
import { P2PKH, P2SH } from './script-template.ts'
import { sigopsIn } from './sigops.ts'

/** Core MAX_STANDARD_SCRIPTSIG_SIZE, bytes. */
const MAX_SCRIPT_SIG_BYTES = 1_650
/** Core MAX_P2SH_SIGOPS. */
const MAX_P2SH_SIGOPS = 15

const P2PK = /^(?:210[23][0-9a-f]{64}|410[467][0-9a-f]{128})ac$/
const MULTISIG =
  /^(?:5[1-9a-f]|60|011[1-4])(?:210[23][0-9a-f]{64}|410[467][0-9a-f]{128})+(?:5[1-9a-f]|60|011[1-4])ae$/

/**
 * Do nodes relay an input that spends this output with this scriptSig (Core `IsStandardTx` and
 * `ValidateInputsStandardness`)? `analyzepsbt` does not check it; a witness is judged apart.
 */
export function isStandardInput(prevoutHex: string, scriptSig: Uint8Array): boolean {
  const pushes = instructionsOf(scriptSig)
  if (scriptSig.length > MAX_SCRIPT_SIG_BYTES || !pushes?.every(isPushing)) return false
  if (!P2SH.test(prevoutHex)) {
    return (
      [P2PK, P2PKH, MULTISIG].some((form) => form.test(prevoutHex)) || isWitnessProgram(prevoutHex)
    )
  }
  const redeem = pushes.at(-1)
  const script = redeem && 'push' in redeem ? instructionsOf(redeem.push) : null
  return script !== null && sigopsIn(script) <= MAX_P2SH_SIGOPS
}
