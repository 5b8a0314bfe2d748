import tseslint from 'typescript-eslint'

// Biome formats and lints; this adds what needs types, promises that nobody awaits, and waits of a second.
export default tseslint.config({
  files: [
    'src/**/*.ts',
    'test/**/*.ts',
    'bench/**/*.ts',
    'demo/**/*.ts',
    'clients/typescript/src/**/*.ts',
    'console/{src,test}/**/*.{ts,tsx}',
    'guide/**/*.ts',
  ],
  languageOptions: {
    parser: tseslint.parser,
    parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
  },
  plugins: { '@typescript-eslint': tseslint.plugin },
  rules: {
    '@typescript-eslint/no-floating-promises': 'error',
    '@typescript-eslint/no-misused-promises': 'error',
    '@typescript-eslint/await-thenable': 'error',
    'no-restricted-syntax': [
      'error',
      {
        selector:
          'CallExpression[callee.object.name="vi"][callee.property.name=/^wait/][arguments.length<2]',
        message: 'waits one second, which a busy machine takes: use expect.poll, or say how long',
      },
    ],
  },
})
