import fc from 'fast-check'
import { fragments } from './fragments.ts'
import {
  makeScriptAsk,
  type ScriptAsk,
  type ScriptOutput,
  type ScriptSigner,
} from './script-asks.ts'

const MAX_DEPTH = 3

/** Builds a miniscript of rolled numbers; each key is used once. */
class Builder {
  readonly keys: string[] = []
  readonly #rolls: readonly number[]
  readonly #fragments: ReturnType<typeof fragments>
  #next = 0

  constructor(rolls: readonly number[], form: 'witness-v0' | 'tapscript') {
    this.#rolls = rolls
    this.#fragments = fragments(form)
  }

  /** Type B. */
  script(depth = 0): string {
    const f = this.#fragments
    const inner = () => this.script(depth + 1)
    switch (this.#roll(depth < MAX_DEPTH ? 12 : 2)) {
      case 0:
      case 1:
        return this.#chosen()
      case 2:
      case 3:
        return f.and(f.v(this.#chosen()), inner())
      case 4:
        return f.orI(inner(), inner())
      case 5:
        return f.orD(this.#chosen(), inner())
      case 6:
        return f.andor(this.#chosen(), inner(), inner())
      case 7:
        return f.and(f.v(this.#chosen()), f.older(10))
      case 8:
        return f.and(f.v(this.#chosen()), f.after(500))
      case 9:
        return f.and(f.v(this.#chosen()), f.sha256('s'))
      case 10:
        return f.and(f.v(this.#chosen()), this.#hash())
      default:
        return f.thresh(1 + this.#roll(3), [this.#chosen(), this.#chosen(), this.#chosen()])
    }
  }

  multisig(): string {
    const total = 2 + this.#roll(3)
    const seeds = Array.from({ length: total }, () => this.#key())
    return this.#fragments.multi(1 + this.#roll(total), seeds)
  }

  /** Type Bdu. */
  #chosen(): string {
    switch (this.#roll(5)) {
      case 0:
        return this.#fragments.pkh(this.#key())
      case 1:
        return this.multisig()
      default:
        return this.#fragments.pk(this.#key())
    }
  }

  #hash(): string {
    const { hash160, hash256, ripemd160 } = this.#fragments
    return [hash160, hash256, ripemd160][this.#roll(3)]?.('s') ?? ''
  }

  #key(): string {
    const seed = `miniscript ${this.keys.length}`
    this.keys.push(seed)
    return seed
  }

  #roll(sides: number): number {
    const rolled = this.#rolls[this.#next % this.#rolls.length] ?? 0
    this.#next += 1
    return rolled % sides
  }
}

const KINDS = ['p2wsh', 'p2sh-p2wsh', 'p2tr', 'p2sh', 'bare'] as const

/** An ask of a random script with some of its signatures and preimages. */
export const randomScriptAsk: fc.Arbitrary<ScriptAsk> = fc
  .record({
    kind: fc.constantFrom(...KINDS),
    rolls: fc.array(fc.nat({ max: 59 }), { minLength: 5, maxLength: 40 }),
    leaves: fc.integer({ min: 1, max: 3 }),
    /** By key and leaf: signed, not signed, or not validly signed. */
    signed: fc.array(fc.constantFrom('yes', 'yes', 'yes', 'no', 'broken', 'all'), {
      minLength: 9,
      maxLength: 9,
    }),
    isKeySigned: fc.boolean(),
    knowsPreimage: fc.boolean(),
    sequence: fc.constantFrom(9, 10, 0xfffffffd),
    locktime: fc.constantFrom(0, 499, 500),
    sighashField: fc.constantFrom(0x83, null),
  })
  .map(({ kind, rolls, leaves, signed, isKeySigned, knowsPreimage, ...terms }) => {
    const scripts = Array.from({ length: kind === 'p2tr' ? leaves : 1 }, (_, leaf) => {
      const builder = new Builder(
        [...rolls.slice(leaf), leaf],
        kind === 'p2tr' ? 'tapscript' : 'witness-v0',
      )
      const isLegacy = kind === 'p2sh' || kind === 'bare'
      return { script: isLegacy ? builder.multisig() : builder.script(), keys: builder.keys }
    })
    const output: ScriptOutput =
      kind === 'p2tr'
        ? { kind, leaves: scripts.map(({ script }) => script), internal: 'internal' }
        : { kind, script: scripts[0]?.script ?? '' }
    const signers = scripts.flatMap(({ keys }, leaf) =>
      keys.flatMap((seed, at): ScriptSigner[] => {
        const how = signed[(at + 2 * leaf) % signed.length]
        if (how === 'no') return []
        return [
          {
            seed,
            leaf,
            isBroken: how === 'broken',
            sighash: how === 'all' && terms.sighashField === null ? 1 : 0x83,
          },
        ]
      }),
    )
    const own: ScriptSigner[] =
      kind === 'p2tr' && isKeySigned ? [{ seed: 'internal', leaf: null }] : []
    const hashes = ['ripemd160', 'sha256', 'hash160', 'hash256'] as const
    return makeScriptAsk({
      output,
      signers: [...own, ...signers],
      named: scripts
        .flatMap(({ keys }) => keys)
        .filter((seed, at, all) => all.indexOf(seed) === at),
      preimages: knowsPreimage ? Object.fromEntries(hashes.map((hash) => [hash, ['s']])) : {},
      ...terms,
    })
  })
