/** A released image and where its files are. */
export interface Release {
  version: string
  /** The image with its tag and digest: `ghcr.io/acme/tideport-all-in-one:1.2.3@sha256:…`. */
  image: string
  /** URL of the repository. */
  repository: string
}

/** The facts that every app store shows. */
export const app = {
  id: 'tideport',
  name: 'Tideport',
  developer: 'The Tideport contributors',
  /** Stores show it in one line, without a period. */
  tagline: 'File storage whose copies are proved',
  description:
    'Tideport stores files in vaults, with a web console, an HTTP API, a command line, and webhooks. New files are in object storage. Workers copy each file to storage networks that address content by its hash, prove each copy, and then free the space. Files stay readable at every step.',
  setUp:
    'Open the app. The log of the container has the link of the set-up page, where you create the owner. Passkeys need HTTPS; a recovery code works without.',
  tags: ['storage', 'files', 's3', 'api', 'webhooks', 'self-hosted'],
  /** The port in the container. */
  port: 8080,
  /** The folder in the container that has all data. */
  data: '/data',
  /** The user that owns the data. */
  uid: 1000,
  /** Stopping writes everything in memory to disk. */
  stopSeconds: 60,
} as const

/** The setting that each store asks for, because only the person who installs the app knows its value. */
export const publicUrl = {
  name: 'PUBLIC_URL',
  description: 'The address at which browsers and other clients open Tideport, without a slash at the end',
} as const

export const links = ({ version, repository }: Release) => ({
  docs: `${repository}/blob/v${version}/docs/index.md`,
  icon: `${repository}/raw/v${version}/docs/images/icon.png`,
  notes: `${repository}/releases/tag/v${version}`,
  support: `${repository}/issues`,
})
