import type { OrderSummary, TxOut } from 'psbt-market-client'
import { OUTPUT_IS } from '../../../src/domain/catalog/signed-by.ts'
import { Fold } from '../ui/fold.tsx'
import { groupedSats } from '../ui/values/amounts.ts'

const BOX = { width: 168, height: 48, gap: 12 }
const WIDTH = 372
const TOP = 26
const LEFT = 2
const RIGHT = WIDTH - BOX.width - 2
/** An order may have very many inputs: a larger drawing would be useless. */
const MAX_ROWS = 12

interface Box {
  title: string
  under: string
  kind: 'signed' | 'told' | 'open'
}

/**
 * The transaction as far as it is signed: each input beside the output of its index, which is what
 * SINGLE|ANYONECANPAY commits to; what the buyer adds is dashed.
 */
export function SatFlow({ order, isOpen }: { order: OrderSummary; isOpen: boolean }) {
  const { inspection, side, sellerScriptHex } = order
  const isAsk = inspection.orderClass === 'ASK_ANYONECANPAY'
  /** Of an order that an operator has hidden. */
  const isWithheld = inspection.outputScriptsHex.length === 0
  const unknown = isWithheld ? 'value withheld' : 'value not in the PSBT'
  const own = OUTPUT_IS[side ?? 'ASK']
  const isSellers = (output: TxOut | null | undefined) => output?.scriptHex === sellerScriptHex
  const inputs = inspection.inputOutpoints.slice(0, MAX_ROWS).map((outpoint, at): Box => {
    const output = inspection.inputWitnessUtxos[at]
    return {
      title: output ? `${groupedSats(output.valueSats)} sats` : unknown,
      under: `${isSellers(output) ? own : 'input'} ${headOf(outpoint.txid)}:${outpoint.vout}`,
      kind: isSellers(output) === isAsk ? 'signed' : 'told',
    }
  })
  const outputs = inspection.outputValuesSats.slice(0, MAX_ROWS).map((sats, at): Box => {
    const isPaired = isAsk && inputs[at]?.kind === 'signed'
    return {
      title: `${groupedSats(sats)} sats`,
      under: `${isPaired ? 'payout' : 'output'}${toScript(inspection.outputScriptsHex[at])}`,
      kind: isPaired || !isAsk ? 'signed' : 'told',
    }
  })
  if (isAsk) {
    inputs.push({ title: 'money of the buyer', under: 'any inputs', kind: 'open' })
    outputs.push({ title: 'asset and change', under: 'any outputs', kind: 'open' })
  }
  const rows = Math.max(inputs.length, outputs.length)
  const height = TOP + rows * (BOX.height + BOX.gap)
  const said = `In the PSBT: ${counted(inspection.inputCount, 'input')}, ${counted(inspection.outputCount, 'output')}`
  return (
    <Fold id="flow" title="What is signed" isOpen={isOpen}>
      <p class="quiet">
        {isAsk
          ? 'The seller signed the offered output and its payout, at the same index, and nothing else.'
          : side === 'BID'
            ? 'The buyer signed every input but the wanted one, and every output.'
            : 'The parts of the PSBT.'}{' '}
        {said}.
      </p>
      <svg class="flow" viewBox={`0 0 ${WIDTH} ${height}`} role="img" aria-label={`${said}.`}>
        <text class="small" x={LEFT} y={14}>
          inputs
        </text>
        <text class="small" x={RIGHT} y={14}>
          outputs
        </text>
        {inputs.map((input, at) => (
          <path
            key={`line ${at}`}
            class={input.kind === 'open' || !isAsk ? 'open' : ''}
            d={lineOf(at, isAsk ? Math.min(at, outputs.length - 1) : at % outputs.length)}
          />
        ))}
        {inputs.map((box, at) => (
          <BoxView key={`in ${at}`} box={box} x={LEFT} at={at} />
        ))}
        {outputs.map((box, at) => (
          <BoxView key={`out ${at}`} box={box} x={RIGHT} at={at} />
        ))}
      </svg>
    </Fold>
  )
}

const counted = (count: number, thing: string): string =>
  `${count} ${thing}${count === 1 ? '' : 's'}`

/** As much of an identifier as fits into a box on a narrow screen. */
const headOf = (id: string): string => `${id.slice(0, 6)}…`

const toScript = (script?: string): string => (script ? ` to ${headOf(script)}` : '')

const topOf = (at: number): number => TOP + at * (BOX.height + BOX.gap)

function lineOf(from: number, to: number): string {
  const [x1, x2] = [LEFT + BOX.width, RIGHT]
  const [y1, y2] = [topOf(from) + BOX.height / 2, topOf(to) + BOX.height / 2]
  const middle = (x1 + x2) / 2
  return `M${x1} ${y1} C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`
}

function BoxView({ box, x, at }: { box: Box; x: number; at: number }) {
  const y = topOf(at)
  return (
    <g>
      <rect class={box.kind} x={x} y={y} width={BOX.width} height={BOX.height} rx={6} />
      <text x={x + 10} y={y + 20}>
        {box.title}
      </text>
      <text class="small" x={x + 10} y={y + 38}>
        {box.under}
      </text>
    </g>
  )
}
