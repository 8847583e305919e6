import { inject } from 'vitest'
import { newAccount } from './account.ts'
import type { StackFile } from './start-test-stack.ts'

declare module 'vitest' {
  interface ProvidedContext {
    stack: StackFile
  }
}

/** The shared system in development mode: two gateways and one process of each other service. Do not break it. */
export const sharedStack = (): StackFile => inject('stack')

/** A client with a new account, for the shared system's gateway number `gateway`. */
export const freshAccount = (gateway = 0) => newAccount(sharedStack().gatewayUrls[gateway] as string)

/** The only origin whose pages may call the shared system. */
export const pageOrigin = 'https://app.example'

/** The `X-Dev-Provider-Id` of the shared system's operator. */
export const sharedOperator = 'e2e-operator'
