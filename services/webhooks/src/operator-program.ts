import { operatorProgramOn } from '@tideport/service-kit/postgres/operator-program'
import type { WebhooksDb } from './tables.ts'

export const operatorProgram = operatorProgramOn<WebhooksDb>('webhooks', process.env)
