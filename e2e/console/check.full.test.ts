import { startReceiver } from '@tideport/testing/receiver'
import type { Page } from 'playwright-core'
import { browserTest } from '../support/browser/browser-test.ts'
import { expectAccessibleInAllLooks } from '../support/console/looks.ts'
import { openConsole } from '../support/console/open-console.ts'
import { sharedStack } from '../support/shared-stack.ts'

const again = (page: Page) => page.getByRole('button', { name: 'Check again' }).click()
const bucket = () => `${sharedStack().s3.endpoint}/**`

browserTest('checks the bucket, the clock, and a receiver, and says what to change', async ({ browsing }) => {
  const { page } = await openConsole(browsing, '/check')
  await page.getByText('A test file was uploaded to').waitFor()
  await page.getByText('The clocks of this device and of the service match.').waitFor()
  await page.getByText(/^The test file was written to/).waitFor()
  await expectAccessibleInAllLooks(page, 'the checks')

  await page.route(bucket(), (route) => route.abort())
  await again(page)
  await page.getByText('This browser cannot reach').waitFor()
  await page.unroute(bucket())
  const other = { 'access-control-allow-origin': 'https://other.example' }
  await page.route(bucket(), (route) => route.fulfill({ status: 403, headers: other }))
  await again(page)
  await page.getByText('in the CORS rule of the bucket').waitFor()
  await page.unroute(bucket())
  await page.route(bucket(), (route) =>
    route.fulfill({
      status: 403,
      headers: {
        'access-control-allow-origin': '*',
        'access-control-allow-headers': '*',
        'access-control-allow-methods': '*',
      },
      body: '<Error><Code>SignatureDoesNotMatch</Code></Error>',
    }),
  )
  await page.route('**/api/sign-in', (route) =>
    route.fulfill({ body: '{}', headers: { date: new Date(Date.now() + 3_600_000).toUTCString() } }),
  )
  await again(page)
  await page.getByText('refused the request: SignatureDoesNotMatch').waitFor()
  await page.getByText(/behind the service/).waitFor()

  await using receiver = await startReceiver()
  await page.getByLabel('Address of a receiver').fill(receiver.url)
  await page.getByRole('button', { name: 'Send test delivery' }).click()
  await page.getByText('The receiver responded with status').waitFor()
  await page.getByLabel('Address of a receiver').fill('http://127.0.0.1:1/')
  await page.getByRole('button', { name: 'Send test delivery' }).click()
  await page.getByText('The delivery failed').waitFor()
})
