import { inject } from 'vitest'
import { newAccount } from './account.ts'
import type { StackFile } from './start-test-stack.ts'

declare module 'vitest' {
  interface ProvidedContext {
    stack: StackFile
  }
}

/** The run's shared system in development mode: two gateways, one process of every other service. Leave it whole. */
export const sharedStack = (): StackFile => inject('stack')

/** A client of the shared system's gateway number `gateway` who acts as an account that no other test has. */
export const freshAccount = (gateway = 0) => newAccount(sharedStack().gatewayUrls[gateway] as string)

/** Whose pages may call it, and nobody else's. */
export const pageOrigin = 'https://app.example'

/** Who is an operator of it, by `X-Dev-Provider-Id`. */
export const sharedOperator = 'e2e-operator'
