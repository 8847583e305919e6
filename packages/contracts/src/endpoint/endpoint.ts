import type { z } from 'zod'
import type { ErrorCode } from './errors.ts'
import type { Scope } from './scope.ts'
import type { Verb } from './verb.ts'

export type Upstream = 'auth' | 'files' | 'webhooks'
export type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'

/** JSON, bytes (also for HEAD; `orJson` where the query requests it), or a page (JSON for programs). 303 leads people to a page. */
type Success =
  | { status: 200 | 201; schema: z.ZodType }
  | { status: 200; bytes: true; orJson?: z.ZodType }
  | { status: 200; page: true; orJson?: z.ZodType }
  | { status: 303; page: true; orJson: z.ZodType }

/** One HTTP endpoint: what the gateway routes, the owning service serves and OpenAPI documents. */
export interface Endpoint {
  method: Method
  /** E.g. `/api/files/:fileId/confirm`. A last part `*path` stands for all that is left, slashes included. */
  path: string
  /** The service that answers it; `gateway`: the gateway itself. */
  service: Upstream | 'gateway'
  /**
   * A scope: an account that holds it. `public`: anyone. `operator`: whoever the installation's operators are, by no key;
   * to all others it is not there. `internal`: the gateway itself, never forwarded.
   */
  access: Scope | 'public' | 'operator' | 'internal'
  /**
   * What it does, for keys that are limited to vaults or verbs: such a key calls nothing without one. Null: whatever its
   * verbs, for the endpoint itself looks at its limits.
   */
  verb?: Verb | null
  /** A few words, imperative, without a full stop. */
  summary: string
  /** What the summary leaves open, in full sentences; Markdown. */
  description?: string
  params?: z.ZodObject
  query?: z.ZodObject
  /** Request headers that matter, by their lower-case names. */
  headers?: z.ZodObject
  body?: z.ZodObject
  /** `body` may as well be that of an HTML form (application/x-www-form-urlencoded). */
  takesForm?: true
  /** The one cookie of a client's that goes on to the service. */
  cookie?: string
  /** In place of `body`: the request's body is the bytes of a file, of the type that it says. */
  takesBytes?: true
  success: Success
  /** Said of a POST that may be sent again when its answer was lost: nothing more happens than the first time. */
  repeatable?: true
  /** Codes this endpoint adds to those any endpoint may answer. */
  errors: readonly ErrorCode[]
}

export function endpoint<const E extends Endpoint>(definition: E): E {
  return definition
}
