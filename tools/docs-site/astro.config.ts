import { satteri } from '@astrojs/markdown-satteri'
import starlight from '@astrojs/starlight'
import { defineConfig, passthroughImageService } from 'astro/config'
import linksValidator from 'starlight-links-validator'
import { diagrams } from './src/diagrams.ts'
import { repositoryLinks } from './src/repository-links.ts'

/** The release workflow sets where the site is published, and the URL of the repository's files. */
const { SITE: site, BASE: base = '/', REPOSITORY: repository } = process.env

const pages = (folder: string, names: string[]) => names.map((name) => `${folder}/${name}`)

export default defineConfig({
  site,
  base,
  outDir: '../../dist/docs',
  image: { service: passthroughImageService() },
  markdown: { processor: satteri({ mdastPlugins: [repositoryLinks(base, repository), diagrams] }) },
  integrations: [
    starlight({
      title: 'Tideport',
      favicon: '/favicon.svg',
      customCss: ['./src/theme.css'],
      plugins: [linksValidator()],
      sidebar: [
        { label: 'Tutorials', items: pages('tutorials', ['first-upload', 'run-tideport']) },
        {
          label: 'Use',
          items: pages('guides', [
            'folders',
            'sharing',
            'webhooks',
            'private-files',
            'command-line',
            'console',
            'use-your-tools',
            'import',
            'leave',
          ]),
        },
        {
          label: 'Run',
          items: [
            ...pages('operate', ['one-container', 'app-stores', 'compose', 'kubernetes', 'processes']),
            {
              label: 'Storage networks',
              items: pages('operate/networks', ['overview', 'embedded', 's3', 'ipfs', 'walrus']),
            },
            ...pages('operate', ['size', 'back-up', 'upgrade', 'rotate-secrets', 'monitor', 'alerts']),
            ...pages('operate', ['troubleshoot', 'tasks']),
          ],
        },
        {
          label: 'Reference',
          items: [
            {
              label: 'HTTP API',
              items: [
                ...pages('reference/http', ['conventions', 'files', 'many-files', 'links', 'keys', 'webhooks']),
                'reference/errors',
              ],
            },
            ...pages('reference', ['sdk', 'cli', 'settings', 'events', 'metrics-and-alerts']),
            ...pages('reference', ['private-file-format', 's3-suites', 'versions', 'glossary']),
          ],
        },
        {
          label: 'Understand',
          items: pages('explain', ['architecture', 'life-of-a-file', 'copies-and-proof', 'security']),
        },
        {
          label: 'Contribute',
          items: [
            ...pages('contribute', ['guide', 'local-stack', 'add-an-endpoint', 'add-a-network', 'add-a-setting']),
            'contribute/service-interface',
            { label: 'Decisions', collapsed: true, items: [{ autogenerate: { directory: 'adr' } }] },
          ],
        },
      ],
    }),
  ],
})
