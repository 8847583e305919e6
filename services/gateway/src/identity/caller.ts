import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import type { Life } from '@tideport/service-kit/process/remembered-answers'

/** Admits a request and can become invalid while the request is open: an API key or the token of a login. */
export type Credential = { digest: string; life: Life } | { endsAtMs: number }

export interface Caller {
  principal: AccountPrincipal
  /** Null: never becomes invalid. */
  credential: Credential | null
}
