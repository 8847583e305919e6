export const enCheck = {
  title: 'Check this browser',
  lead: 'These checks show what works from this browser and from the installation.',
  again: 'Check again',
  open: 'Open vault',
  names: {
    address: 'Public address',
    clock: 'Clock',
    storage: 'Upload and download',
    networks: 'Storage networks',
    webhook: 'Test delivery',
  },
  looks: { good: 'OK', warning: 'Note', bad: 'Failed' },
  address: (url: string) => `You use the public address ${url}.`,
  otherAddress: (url: string, here: string) =>
    `Links lead to ${url}, but you use ${here}. If other people cannot reach ${url}, change PUBLIC_URL.`,
  noAddress: (here: string) => `PUBLIC_URL is not set. Set it to ${here} if other people use this address.`,
  clock: 'The clocks of this device and of the service match.',
  noClock: 'The response has no Date header, so the clocks cannot be compared.',
  ahead: (seconds: number) =>
    `The clock of this device is ${seconds} s ahead of the service. Set the clock that is wrong.`,
  behind: (seconds: number) =>
    `The clock of this device is ${seconds} s behind the service. Set the clock that is wrong.`,
  noVault: 'The check needs a public vault. Create one, and check again.',
  storage: (origin: string) => `A test file was uploaded to ${origin}, downloaded, and deleted.`,
  otherBytes: 'Object storage returned different bytes. Check the proxy in front of object storage.',
  refused: (origin: string, code: string) =>
    `${origin} refused the request: ${code}. A proxy in front of object storage must keep the Host header and the path.`,
  mixed: (origin: string) =>
    `This page uses https, but object storage uses http, which browsers block: ${origin}. Change S3_PUBLIC_ENDPOINT to an https address.`,
  cors: (origin: string, page: string) =>
    `The browser blocked the response of ${origin}. Allow the origin ${page} in the CORS rule of the bucket.`,
  policy: (origin: string) => `The console must not connect to ${origin}. Add this origin to CONSOLE_CONNECT_ORIGINS.`,
  unreachable: (origin: string) =>
    `This browser cannot reach ${origin}. Change S3_PUBLIC_ENDPOINT to an address that browsers reach, and check its port and certificate.`,
  written: (networks: string) => `The test file was written to ${networks}.`,
  notWritten: (networks: string) =>
    `The test file is not on ${networks} yet. Some networks need minutes. If files stay at “Ready”, check the settings of the network.`,
  singleDisk: 'Files have copies on this disk only. To add a network, see “Storage networks” in the documentation.',
  noNetwork: 'No storage network is configured. See “Storage networks” in the documentation.',
  webhookTitle: 'Webhooks',
  webhookUrl: 'Address of a receiver',
  webhookHint: 'The installation sends a test delivery to this address.',
  send: 'Send test delivery',
  delivered: (status: number) => `The receiver responded with status ${status}.`,
  notDelivered: (reason: string) =>
    `The delivery failed: ${reason}. Check the firewall, and WEBHOOK_ALLOW_CIDRS for receivers in private networks.`,
}
