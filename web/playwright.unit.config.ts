// Unit tests: plain code in Node, no browser and no server.
import { defineConfig } from '@playwright/test'

export default defineConfig({
  testDir: 'test',
  fullyParallel: true,
  forbidOnly: process.env.CI !== undefined,
  reporter: 'list',
  outputDir: 'node_modules/.unit-results',
})
