import { satteri } from '@astrojs/markdown-satteri'
import starlight from '@astrojs/starlight'
import { defineConfig, passthroughImageService } from 'astro/config'
import linksValidator from 'starlight-links-validator'
import { diagrams } from './src/diagrams.ts'
import { repositoryLinks } from './src/repository-links.ts'

/** The release workflow sets where the site is published, and the URL of the repository's files. */
const { SITE: site, BASE: base = '/', REPOSITORY: repository } = process.env

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
        { label: 'Tutorials', items: [{ autogenerate: { directory: 'tutorials' } }] },
        { label: 'Use', items: [{ autogenerate: { directory: 'guides' } }] },
        { label: 'Run', items: [{ autogenerate: { directory: 'operate' } }] },
        { label: 'Reference', items: [{ autogenerate: { directory: 'reference' } }] },
        { label: 'Understand', items: [{ autogenerate: { directory: 'explain' } }] },
        { label: 'Contribute', items: [{ autogenerate: { directory: 'contribute' } }] },
        { label: 'Decisions', collapsed: true, items: [{ autogenerate: { directory: 'adr' } }] },
      ],
    }),
  ],
})
