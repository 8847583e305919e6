import { startSignInProvider } from '@tideport/testing/sign-in-provider'
import { waitFor } from '@tideport/testing/wait-for'
import type { Page } from 'playwright-core'
import { startTestStack } from '../start-test-stack.ts'

/** A system with sign-in at a real provider, and further settings that may depend on the provider's address. */
export async function startProviderStack({
  accessTokenSeconds,
  environment = () => ({}),
}: {
  accessTokenSeconds?: number
  environment?: (issuer: string) => Record<string, string>
}) {
  await using starting = new AsyncDisposableStack()
  const provider = starting.use(
    await startSignInProvider(accessTokenSeconds === undefined ? {} : { accessTokenSeconds }),
  )
  const { issuer } = provider
  const stack = starting.use(
    await startTestStack({
      console: true,
      env: {
        SERVICE_ENV: 'production',
        IDENTITY_PROVIDER_ISSUER: issuer,
        IDENTITY_PROVIDER_AUDIENCE: provider.audience,
        IDENTITY_PROVIDER_CLIENT_ID: provider.clientId,
        IDENTITY_PROVIDER_SCOPES: 'openid',
        RATE_LIMIT_PER_SECOND: '0',
        ...environment(issuer),
      },
    }),
  )
  const consoleUrl = `${stack.describe().gatewayUrls[0]}/console`
  await waitFor(async () => (await fetch(consoleUrl)).ok, { what: 'the console' })
  const started = starting.move()
  return { issuer, consoleUrl, [Symbol.asyncDispose]: () => started.disposeAsync() }
}

export const signIn = (page: Page) => page.getByRole('button', { name: 'Sign in', exact: true }).click()
export const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true })
export const refused = (page: Page) => page.getByRole('alert').getByText('does not match the request')

/** Changes the metadata that the provider returns. */
export async function changeMetadata(page: Page, issuer: string, changes: object): Promise<void> {
  await page.route(`${issuer}/.well-known/openid-configuration`, async (route) => {
    const truth = (await (await fetch(route.request().url())).json()) as object
    await route.fulfill({ json: { ...truth, ...changes }, headers: { 'access-control-allow-origin': '*' } })
  })
}
