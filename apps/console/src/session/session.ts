import { signal } from '@preact/signals'
import type { TokenEndpoint } from './provider.ts'

/** `sessionId`: the key is a session of the owner, which signing out revokes. */
export type Session =
  | { kind: 'key'; key: string; sessionId?: string }
  | { kind: 'development'; providerId: string | null }
  | {
      kind: 'provider'
      name: string | null
      token: (signal: AbortSignal) => Promise<string>
      leave: () => Promise<void>
    }

export const session = signal<Session | null>(null)

/** Why the user was signed out. */
export const ended = signal<'session' | 'failed' | 'untrusted' | { refused: string } | null>(null)

/** The data that a tab keeps across a reload: never an access token (ADR 0028). */
export type Kept =
  | { kind: 'key'; key: string; sessionId?: string }
  | { kind: 'development'; providerId: string | null }
  | { kind: 'provider'; refreshToken: string; from: TokenEndpoint | null }

const storageKey = 'tideport.session'

export function keep(kept: Kept): void {
  sessionStorage.setItem(storageKey, JSON.stringify(kept))
}

export function readKept(): Kept | null {
  try {
    return JSON.parse(sessionStorage.getItem(storageKey) ?? 'null') as Kept | null
  } catch {
    return null
  }
}

export function forget(): void {
  sessionStorage.removeItem(storageKey)
}

export function signInAs(who: Exclude<Kept, { kind: 'provider' }>): void {
  keep(who)
  ended.value = null
  session.value = who
}

export function endSession(): void {
  if (session.value === null) return
  forget()
  session.value = null
  ended.value = 'session'
}
