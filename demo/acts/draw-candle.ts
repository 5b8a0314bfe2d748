import { STATISTIC_ROWS, statisticPage } from '../../src/schemas/api/statistics.ts'
import { fields } from '../stage/readable.ts'
import type { Stage } from '../stage/stage.ts'
import type { Listed } from './list-inscription.ts'

/** The first sale of a token is one candle. */
export async function drawCandle(stage: Stage, { priceSats }: Listed): Promise<void> {
  const price = priceSats.toString()
  stage.step('Who draws charts asks for candles: the settled sales of each hour, day or week.')
  await stage.becomes('stats/candles?interval=hour&token=DEMO', {
    status: 200,
    shape: statisticPage(STATISTIC_ROWS.candles),
    is: {
      'rows.length': 1,
      'rows.0.open_sats': price,
      'rows.0.high_sats': price,
      'rows.0.low_sats': price,
      'rows.0.close_sats': price,
      'rows.0.volume_sats': price,
      'rows.0.sales': '1',
    },
    shows: fields(
      'rows.0.start',
      'rows.0.token',
      'rows.0.open_sats',
      'rows.0.high_sats',
      'rows.0.low_sats',
      'rows.0.close_sats',
      'rows.0.volume_sats',
      'rows.0.sales',
    ),
  })
}
