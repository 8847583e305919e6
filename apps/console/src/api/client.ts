import { computed } from '@preact/signals'
import { type Client, createClient } from '@tideport/sdk'
import { apiUrl } from '../base.ts'
import { notePrivate } from '../kept/private-vaults.ts'
import { type Session, session } from '../session/session.ts'

const all = { baseUrl: apiUrl.href, checkAnswer: (_: string, answer: object) => notePrivate(answer) }

/** What every function of the SDK takes first, for whoever is signed in. Pages are shown only to those. */
const current = computed(() => clientOf(session.value))

export const client = (): Client => current.value

function clientOf(who: Session | null): Client {
  if (who?.kind === 'key') return createClient({ ...all, apiKey: who.key })
  if (who?.kind === 'provider') return createClient({ ...all, bearerToken: who.token })
  const development = who?.providerId == null ? {} : { providerId: who.providerId }
  return createClient({ ...all, development })
}
