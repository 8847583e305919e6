import { computed } from '@preact/signals'
import { type Client, createClient } from '@tideport/sdk'
import { apiUrl } from '../base.ts'
import { notePrivate } from '../kept/private-vaults.ts'
import { type Session, session } from '../session/session.ts'

const all = { baseUrl: apiUrl.href, checkAnswer: (_: string, answer: object) => notePrivate(answer) }

/** The first argument of every SDK function. */
const current = computed(() => clientOf(session.value))

export const client = (): Client => current.value

function clientOf(who: Session | null): Client {
  if (who?.kind === 'key') return createClient({ ...all, apiKey: who.key })
  if (who?.kind === 'provider') return createClient({ ...all, bearerToken: who.token })
  const development = who?.providerId == null ? {} : { providerId: who.providerId }
  return createClient({ ...all, development })
}
