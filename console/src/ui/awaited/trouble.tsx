import { BadRequestError } from 'psbt-market-client'
import { messageOf } from '../../api/market.ts'

/** What failed, and a way to try again where that can help. */
export const Trouble = ({ error, again }: { error: unknown; again?: () => void }) => (
  <div class="trouble" role="alert">
    <p>{messageOf(error)}</p>
    {again && !(error instanceof BadRequestError) && (
      <button type="button" onClick={again}>
        Try again
      </button>
    )}
  </div>
)
