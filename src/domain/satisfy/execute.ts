import {
  choose,
  DONE,
  deepen,
  FAILED,
  type Item,
  MAX_ITEMS,
  type Machine,
  type Run,
  type Stepped,
  unknown,
} from './run.ts'
import { EMPTY, isSame, isTrue, numberOf, numberValue, ONE } from './script-value.ts'
import { addSignature, checkSignature, checkSignatures, isCounted } from './signature-ops.ts'
import { isUnlocked } from './time-locks.ts'
import { ARITHMETIC, BOOLEAN, calculated, equalValue, HASHES, MOVES } from './value-ops.ts'

const MAX_PUSHED_BYTES = 520
/** A dissatisfied hash lock is given 32 bytes that are no preimage. */
const NO_PREIMAGE = new Uint8Array(32)

const OP = {
  negative: 0x4f,
  one: 0x51,
  sixteen: 0x60,
  nop: 0x61,
  if: 0x63,
  notif: 0x64,
  else: 0x67,
  endif: 0x68,
  verify: 0x69,
  toAlt: 0x6b,
  fromAlt: 0x6c,
  ifdup: 0x73,
  depth: 0x74,
  pick: 0x79,
  roll: 0x7a,
  size: 0x82,
  equal: 0x87,
  equalVerify: 0x88,
  numEqual: 0x9c,
  numEqualVerify: 0x9d,
  hash160: 0xa9,
  codeSeparator: 0xab,
  checkSig: 0xac,
  checkSigVerify: 0xad,
  checkMultisig: 0xae,
  checkMultisigVerify: 0xaf,
  checkLockTime: 0xb1,
  checkSequence: 0xb2,
  checkSigAdd: 0xba,
} as const

/** Opcodes that do what another does, and then OP_VERIFY. */
const VERIFYING: Readonly<Record<number, number>> = {
  [OP.equalVerify]: OP.equal,
  [OP.numEqualVerify]: OP.numEqual,
  [OP.checkSigVerify]: OP.checkSig,
  [OP.checkMultisigVerify]: OP.checkMultisig,
}

/**
 * Runs one instruction as nodes that relay do (consensus and Core's standard flags). Changes `run`,
 * except that before a choice it only deepens the stack.
 */
export function execute(run: Run, machine: Machine): Stepped {
  const instruction = machine.instructions[run.at]
  if (!instruction) return FAILED
  const { operations } = run
  const stepped = step(run, machine, instruction)
  // It is run again once the item is chosen.
  if (stepped.status === 'choose') run.operations = operations
  if (stepped !== DONE) return stepped
  run.at += 1
  return run.stack.length + run.alt.length > MAX_ITEMS ? FAILED : DONE
}

function step(run: Run, machine: Machine, instruction: Machine['instructions'][number]): Stepped {
  const isExecuted = !run.branches.includes(false)
  if ('push' in instruction) {
    if (instruction.push.length > MAX_PUSHED_BYTES) return FAILED
    if (!isExecuted) return DONE
    return instruction.isMinimal ? pushed(run, instruction.push) : FAILED
  }
  const { opcode } = instruction
  if (opcode > OP.sixteen && !isCounted(run, 1, machine)) return FAILED
  if (opcode >= OP.if && opcode <= OP.endif) return branch(opcode, isExecuted, run, machine)
  if (!isExecuted) return DONE
  if (opcode === OP.codeSeparator) {
    if (machine.version === 'base') return FAILED
    run.separator = instruction.end
    return DONE
  }
  const plain = VERIFYING[opcode]
  if (plain === undefined) return operate(opcode, run, machine)
  const stepped = operate(plain, run, machine)
  return stepped === DONE ? verify(run, machine) : stepped
}

function pushed(run: Run, ...items: Item[]): Stepped {
  run.stack.push(...items)
  return DONE
}

function branch(opcode: number, isExecuted: boolean, run: Run, machine: Machine): Stepped {
  const { branches, stack } = run
  switch (opcode) {
    case OP.else:
    case OP.endif: {
      const last = branches.pop()
      if (last === undefined) return FAILED
      if (opcode === OP.else) branches.push(!last)
      return DONE
    }
    case OP.if:
    case OP.notif: {
      if (!isExecuted) {
        branches.push(false)
        return DONE
      }
      if (!deepen(run, 1, machine)) return FAILED
      const condition = stack.at(-1)
      if (typeof condition === 'number') {
        return machine.version === 'base' ? either(condition, run, machine) : truth(condition)
      }
      // MINIMALIF: policy in witnesses of version 0, consensus in tapscript.
      const isMinimal = condition?.length === 0 || (condition && isSame(condition, ONE))
      if (!condition || (machine.version !== 'base' && !isMinimal)) return FAILED
      stack.pop()
      branches.push(isTrue(condition) === (opcode === OP.if))
      return DONE
    }
    default:
      return FAILED
  }
}

const truth = (place: number): Stepped => choose([[[place, ONE]], [[place, EMPTY]]])

/**
 * The values that this instruction can use; and where the item is looked at again, by its copies,
 * everything that may be of use there: BOLT 3 asks about one item whether it is a key, whether it has
 * 32 bytes, and whether it is the preimage.
 */
function oneOf(
  values: readonly Uint8Array[],
  place: number,
  { stack, alt }: Run,
  { material, constants }: Machine,
): Stepped {
  const isKept = [...stack, ...alt].filter((item) => item === place).length > 1
  const more = isKept ? [EMPTY, ONE, ...constants, ...material, NO_PREIMAGE] : []
  return choose([...values, ...more].map((value) => [[place, value]]))
}

const either = (place: number, run: Run, machine: Machine): Stepped =>
  oneOf([ONE, EMPTY], place, run, machine)

function verify(run: Run, machine: Machine): Stepped {
  if (!deepen(run, 1, machine)) return FAILED
  const item = run.stack.at(-1)
  if (typeof item === 'number') return either(item, run, machine)
  run.stack.pop()
  return item && isTrue(item) ? DONE : FAILED
}

function operate(opcode: number, run: Run, machine: Machine): Stepped {
  const { stack, alt } = run
  if (opcode >= OP.one && opcode <= OP.sixteen) return pushed(run, numberValue(opcode - OP.one + 1))
  const move = MOVES[opcode]
  if (move) {
    if (!deepen(run, move.takes, machine)) return FAILED
    const items = stack.splice(stack.length - move.takes)
    return pushed(run, ...move.leaves.flatMap((at) => items[at] ?? []))
  }
  if (opcode in ARITHMETIC) return calculate(opcode, run, machine)
  if (opcode in HASHES) return hash(opcode, run, machine)
  switch (opcode) {
    case OP.negative:
      return pushed(run, numberValue(-1))
    case OP.nop:
      return DONE
    case OP.verify:
      return verify(run, machine)
    case OP.toAlt: {
      if (!deepen(run, 1, machine)) return FAILED
      alt.push(...stack.splice(-1))
      return DONE
    }
    case OP.fromAlt:
      return alt.length > 0 ? pushed(run, ...alt.splice(-1)) : FAILED
    case OP.ifdup:
      return duplicateIfTrue(run, machine)
    case OP.pick:
    case OP.roll:
      return fetch(opcode === OP.roll, run, machine)
    case OP.size:
      return size(run, machine)
    case OP.equal:
      return equal(run, machine)
    case OP.checkLockTime:
    case OP.checkSequence:
      return lock(opcode === OP.checkLockTime ? 'locktime' : 'sequence', run, machine)
    case OP.checkSig:
      return checkSignature(run, machine)
    case OP.checkMultisig:
      return checkSignatures(run, machine)
    case OP.checkSigAdd:
      return addSignature(run, machine)
    case OP.depth:
      return machine.isOpen ? unknown(machine) : pushed(run, numberValue(stack.length))
    default:
      return FAILED
  }
}

function duplicateIfTrue(run: Run, machine: Machine): Stepped {
  if (!deepen(run, 1, machine)) return FAILED
  const item = run.stack.at(-1)
  if (typeof item === 'number') return either(item, run, machine)
  return item && isTrue(item) ? pushed(run, item) : DONE
}

/** OP_PICK and OP_ROLL. */
function fetch(isMoved: boolean, run: Run, machine: Machine): Stepped {
  if (!deepen(run, 1, machine)) return FAILED
  const depth = run.stack.at(-1)
  if (typeof depth === 'number') return unknown(machine)
  const places = depth ? numberOf(depth) : null
  if (places === null || places < 0 || places > MAX_ITEMS) return FAILED
  if (!deepen(run, places + 2, machine)) return FAILED
  run.stack.pop()
  const at = run.stack.length - places - 1
  const item = run.stack[at]
  if (isMoved) run.stack.splice(at, 1)
  return item === undefined ? FAILED : pushed(run, item)
}

function size(run: Run, machine: Machine): Stepped {
  if (!deepen(run, 1, machine)) return FAILED
  const item = run.stack.at(-1)
  if (typeof item !== 'number') return item ? pushed(run, numberValue(item.length)) : FAILED
  return choose([EMPTY, ONE, ...machine.material, NO_PREIMAGE].map((value) => [[item, value]]))
}

function equal(run: Run, machine: Machine): Stepped {
  if (!deepen(run, 2, machine)) return FAILED
  const [one, other] = run.stack.slice(-2)
  if (one === undefined || other === undefined) return FAILED
  if (typeof one === 'number') {
    return typeof other === 'number' ? either(one, run, machine) : same(one, other, run, machine)
  }
  if (typeof other === 'number') return same(other, one, run, machine)
  run.stack.splice(-2, 2, equalValue(one, other))
  return DONE
}

/** An item that equals a known one, or does not. */
function same(place: number, known: Uint8Array, run: Run, machine: Machine): Stepped {
  if (isAt(run.at, [OP.equalVerify], machine)) return choose([[[place, known]]])
  return oneOf([known, known.length === 0 ? ONE : EMPTY], place, run, machine)
}

/** Is the instruction there of these opcodes? */
function isAt(at: number, opcodes: readonly number[], { instructions }: Machine): boolean {
  const instruction = instructions[at]
  return (
    instruction !== undefined && 'opcode' in instruction && opcodes.includes(instruction.opcode)
  )
}

function calculate(opcode: number, run: Run, machine: Machine): Stepped {
  const takes = ARITHMETIC[opcode]?.takes ?? 0
  if (!deepen(run, takes, machine)) return FAILED
  const items = run.stack.slice(run.stack.length - takes)
  const place = items.find((item) => typeof item === 'number')
  if (place !== undefined) {
    const others = items.filter((item) => typeof item !== 'number')
    // Some other number may be what the script wants.
    if (!BOOLEAN.includes(opcode)) machine.isUnknown = true
    return oneOf([EMPTY, ONE, ...others], place, run, machine)
  }
  const value = calculated(
    opcode,
    items.flatMap((item) => (typeof item === 'number' ? [] : [item])),
  )
  if (value === null) return FAILED
  run.stack.splice(run.stack.length - takes, takes, value)
  return DONE
}

function hash(opcode: number, run: Run, machine: Machine): Stepped {
  if (!deepen(run, 1, machine)) return FAILED
  const item = run.stack.at(-1)
  if (typeof item === 'number') {
    const keys = opcode === OP.hash160 ? machine.keys : []
    // As a rule the script compares the hash next: then no other value has the right one.
    const next = machine.instructions[run.at + 1]
    const isCompared = isAt(run.at + 2, [OP.equal, OP.equalVerify], machine)
    const wanted = isCompared && next && 'push' in next ? next.push : null
    const values = [...machine.preimages, ...keys].filter((value) => {
      const digest = wanted && machine.digestOf(opcode, value)
      return !digest || isSame(digest, wanted)
    })
    if (wanted && isAt(run.at + 2, [OP.equalVerify], machine)) {
      return choose(values.map((value) => [[item, value]]))
    }
    return oneOf([...values, NO_PREIMAGE], item, run, machine)
  }
  const value = item && HASHES[opcode]?.(item)
  if (!value) return FAILED
  run.stack.splice(-1, 1, value)
  return DONE
}

/** OP_CHECKLOCKTIMEVERIFY and OP_CHECKSEQUENCEVERIFY leave their operand. */
function lock(kind: 'locktime' | 'sequence', run: Run, machine: Machine): Stepped {
  if (!deepen(run, 1, machine)) return FAILED
  const item = run.stack.at(-1)
  if (typeof item === 'number') return unknown(machine)
  if (!item) return FAILED
  return isUnlocked(kind, item, machine.transaction) ? DONE : FAILED
}

/** Is the last item true, and the only one (CLEANSTACK)? */
export function finish(run: Run, machine: Machine): Stepped {
  if (run.branches.length > 0 || !deepen(run, 1, machine)) return FAILED
  const [item, ...more] = run.stack
  if (more.length > 0) return FAILED
  if (typeof item === 'number') return choose([[[item, ONE]]])
  return item && isTrue(item) ? DONE : FAILED
}
