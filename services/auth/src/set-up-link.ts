import { baseUrl } from '@tideport/service-kit/config/setting'
import { operatorProgramOn } from '@tideport/service-kit/postgres/operator-program'
import { schema } from './migrations.ts'
import { createOperatorToken, setUpLink } from './owner/set-up-token.ts'
import type { AuthDb } from './tables.ts'

const LIFE_SECONDS = 3600

const settings = { PUBLIC_URL: baseUrl().describe('Base URL that clients use') }

await operatorProgramOn<AuthDb>(schema, process.env)('set-up-link', settings, async ({ config, db, log }) => {
  const token = await createOperatorToken(db, LIFE_SECONDS)
  process.stdout.write(`${setUpLink(config.publicUrl, token)}\n`)
  log.info({ validSeconds: LIFE_SECONDS }, 'set-up link created; earlier links no longer work')
})
