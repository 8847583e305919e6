import { S3Error } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import type { Target } from '../routing/target.ts'
import type { Answer } from './call.ts'

export async function postObject(_exchange: Exchange, _target: Target, _: { region: string }): Promise<Answer> {
  throw new S3Error('NotImplemented')
}
