// Which files have which schema, and the schemas that the workbench does not bring: what people write by hand in
// these files, with a word on each. They are open: what is not listed is no mistake.
type Schema = Record<string, unknown>

const text = (description: string, more: Schema = {}): Schema => ({ type: 'string', description, ...more })
const flag = (description: string): Schema => ({ type: 'boolean', description })
const texts = (description: string): Schema => ({ type: 'array', items: { type: 'string' }, description })
const named = (description: string): Schema => ({
  type: 'object', additionalProperties: { type: 'string' }, description,
})

const PACKAGE = 'openspace://schemas/package'
const TSCONFIG = 'openspace://schemas/tsconfig'
const TASKS = 'openspace://schemas/tasks'

export const FILES_OF_SCHEMAS: Record<string, string[]> = {
  'vscode://schemas/settings/user': ['User/settings.json'],
  'vscode://schemas/settings/folder': ['.vscode/settings.json'],
  'vscode://schemas/keybindings': ['User/keybindings.json'],
  'vscode://schemas/snippets': ['User/snippets/*.json', '.vscode/*.code-snippets'],
  [TASKS]: ['User/tasks.json', '.vscode/tasks.json'],
  [PACKAGE]: ['package.json'],
  [TSCONFIG]: ['tsconfig.json', 'tsconfig.*.json', 'jsconfig.json'],
}

export const OWN_SCHEMAS: Record<string, Schema> = {
  [PACKAGE]: {
    type: 'object',
    properties: {
      name: text('The name of the package.', { maxLength: 214 }),
      version: text('The version, as in semantic versioning.'),
      private: flag('The package is not to be published.'),
      description: text('What the package is, in a sentence.'),
      license: text('The licence, by its SPDX name.'),
      type: text('How files that end in `.js` are read.', { enum: ['module', 'commonjs'] }),
      main: text('The file that is loaded when the package is required.'),
      module: text('The file for tools that read modules.'),
      types: text('The file with the types.'),
      bin: { type: ['string', 'object'], description: 'Programs that the package installs.' },
      exports: { description: 'What others can import, and from where.' },
      files: texts('What is published.'),
      scripts: named('Commands, run with `npm run NAME`.'),
      dependencies: named('Packages that this one needs.'),
      devDependencies: named('Packages that are needed to work on this one.'),
      peerDependencies: named('Packages that whoever uses this one brings.'),
      optionalDependencies: named('Packages that may fail to install.'),
      engines: named('The versions of Node and other programs that it runs on.'),
      workspaces: { type: ['array', 'object'], description: 'Folders with packages of their own.' },
      repository: { type: ['string', 'object'], description: 'Where the sources are.' },
      keywords: texts('Words to find it by.'),
    },
  },
  [TSCONFIG]: {
    type: 'object',
    properties: {
      extends: { type: ['string', 'array'], description: 'A configuration that this one is laid over.' },
      files: texts('The files that belong to the project.'),
      include: texts('Patterns of files that belong to the project.'),
      exclude: texts('Patterns of files that do not.'),
      references: { type: 'array', description: 'Projects that this one builds on.' },
      compilerOptions: {
        type: 'object',
        description: 'How the compiler works.',
        properties: {
          target: text('The version of the language that is written.'),
          module: text('How modules are written.'),
          moduleResolution: text('How imports are found.'),
          lib: texts('The types of the platform that are there.'),
          strict: flag('All strict checks.'),
          noEmit: flag('Check only, write nothing.'),
          outDir: text('Where files are written.'),
          rootDir: text('The folder that sources lie in.'),
          baseUrl: text('The folder from which imports without a dot are found.'),
          paths: { type: 'object', description: 'Names for places that imports are found in.' },
          types: texts('Packages of types that are there without an import.'),
          jsx: text('How JSX is written.', {
            enum: ['preserve', 'react', 'react-jsx', 'react-jsxdev', 'react-native'],
          }),
          sourceMap: flag('Write maps from what is written to the sources.'),
          declaration: flag('Write files with types.'),
          allowJs: flag('JavaScript belongs to the project too.'),
          checkJs: flag('JavaScript is checked too.'),
          esModuleInterop: flag('Default imports of modules in the older form.'),
          isolatedModules: flag('Each file can be compiled by itself.'),
          noImplicitAny: flag('What has no type is a mistake.'),
          noUncheckedIndexedAccess: flag('What is found by an index may be missing.'),
          noUnusedLocals: flag('Names that nothing uses are a mistake.'),
          noUnusedParameters: flag('Arguments that nothing uses are a mistake.'),
          resolveJsonModule: flag('JSON can be imported.'),
          skipLibCheck: flag('Files with types are not checked.'),
        },
      },
    },
  },
  [TASKS]: {
    type: 'object',
    properties: {
      version: text('The form of this file.', { enum: ['2.0.0'] }),
      tasks: {
        type: 'array',
        description: 'The tasks.',
        items: {
          type: 'object',
          properties: {
            label: text('The name of the task.'),
            type: text('What runs it.', { enum: ['shell', 'process', 'npm'] }),
            command: text('The command.'),
            args: { type: 'array', description: 'What is given to the command.' },
            group: { type: ['string', 'object'], description: 'Whether it builds or tests.' },
            detail: text('What it is, for who chooses.'),
            hide: flag('It is not offered; others may depend on it.'),
            isBackground: flag('It goes on until it is stopped.'),
            script: text('For the type `npm`: the script.'),
            path: text('For the type `npm`: the folder of the package.'),
            options: {
              type: 'object',
              properties: { cwd: text('The folder to run in.'), env: named('Variables that it is given.') },
            },
            presentation: {
              type: 'object',
              properties: {
                panel: text('The terminal that it runs in.', { enum: ['shared', 'dedicated', 'new'] }),
                reveal: text('Whether its terminal is brought into view.', { enum: ['always', 'silent', 'never'] }),
                focus: flag('Its terminal gets the keyboard.'),
                close: flag('Its terminal goes when it has ended well.'),
              },
            },
            dependsOn: { type: ['string', 'array'], description: 'Tasks that are run before.' },
            dependsOrder: text('How these are run.', { enum: ['parallel', 'sequence'] }),
            problemMatcher: { description: 'How problems are read from what it prints.' },
          },
        },
      },
    },
  },
}
