import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import type { Life } from '@tideport/service-kit/process/remembered-answers'

/** What a request is admitted by and what can end while the request is open: an API key, or the token of a login. */
export type Credential = { digest: string; life: Life } | { endsAtMs: number }

export interface Caller {
  principal: AccountPrincipal
  /** Null: never ends. */
  credential: Credential | null
}
