import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { ProtocolTemplate } from 'psbt-market-client'
import { BuildForm } from './build-form.tsx'
import { type Built, BuiltAsk } from './built-ask.tsx'
import { PublishForm } from './publish-form.tsx'

type StepNumber = 1 | 2 | 3

/** A listing that is signed elsewhere: of its three steps exactly one is open. */
export function ListSteps({ markets }: { markets: readonly ProtocolTemplate[] }) {
  const [step, setStep] = useState<StepNumber>(1)
  const [built, setBuilt] = useState<Built | null>(null)
  const stepParts = { current: step, open: setStep }
  return (
    <section class="card" aria-labelledby="elsewhere">
      <h2 id="elsewhere">Or sign elsewhere</h2>
      <ol class="stepper">
        <Step {...stepParts} number={1} title="Choose what is sold, and its price">
          {markets.length > 0 && (
            <BuildForm
              markets={markets}
              built={(answer) => {
                setBuilt(answer)
                if (answer) setStep(2)
                else if (step === 2) setStep(1)
              }}
            />
          )}
          <button type="button" class="plain" onClick={() => setStep(3)}>
            It is signed already: publish it
          </button>
        </Step>
        <Step {...stepParts} number={2} title="Sign it in your wallet" isReady={built !== null}>
          {built && <BuiltAsk key={built.ask.psbt} built={built} next={() => setStep(3)} />}
        </Step>
        <Step {...stepParts} number={3} title="Publish what your wallet signed">
          <PublishForm />
        </Step>
      </ol>
    </section>
  )
}

interface StepParts {
  number: StepNumber
  title: string
  current: StepNumber
  open(step: StepNumber): void
  /** It can be opened. */
  isReady?: boolean
  children: ComponentChildren
}

/** What was typed into a step that is closed again stays in it. */
function Step({ number, title, current, open, isReady = true, children }: StepParts) {
  const isOpen = number === current
  const heading = `step-${number}`
  return (
    <li aria-current={isOpen ? 'step' : undefined} data-done={number < current || undefined}>
      <h3 id={heading}>
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={`${heading}-content`}
          disabled={!isReady}
          onClick={() => open(number)}
        >
          <span class="step-number" aria-hidden="true">
            {number < current ? '✓' : number}
          </span>
          {title}
        </button>
      </h3>
      <section id={`${heading}-content`} aria-labelledby={heading} hidden={!isOpen}>
        {children}
      </section>
    </li>
  )
}
