// Parts of the workbench that are loaded once the first text is on the screen (`rest.ts`). They only register
// what they bring, and may do so late. `build/left-out.ts` reads this list, takes them out of what is loaded
// before, and knows by `?late` that here they are meant.
import '@codingame/monaco-vscode-preferences-service-override/vscode/vs/workbench/contrib/preferences/browser/preferences.contribution?late'
import '@codingame/monaco-vscode-view-common-service-override/vscode/vs/workbench/contrib/mergeEditor/browser/mergeEditor.contribution?late'
import '@codingame/monaco-vscode-bulk-edit-service-override/vscode/vs/workbench/contrib/bulkEdit/browser/preview/bulkEdit.contribution?late'
import '@codingame/monaco-vscode-search-service-override/vscode/vs/workbench/contrib/search/browser/search.contribution?late'
import '@codingame/monaco-vscode-search-service-override/vscode/vs/workbench/contrib/searchEditor/browser/searchEditor.contribution?late'
import '@codingame/monaco-vscode-markers-service-override/vscode/vs/workbench/contrib/markers/browser/markers.contribution?late'
import '@codingame/monaco-vscode-theme-service-override/vscode/vs/workbench/contrib/themes/browser/themes.contribution?late'
import '@codingame/monaco-vscode-log-service-override/vscode/vs/workbench/contrib/logs/common/logs.contribution?late'
import '@codingame/monaco-vscode-view-common-service-override/vscode/vs/workbench/contrib/languageStatus/browser/languageStatus.contribution?late'
import '@codingame/monaco-vscode-scm-service-override/vscode/vs/workbench/contrib/scm/browser/scm.contribution?late'
import '@codingame/monaco-vscode-multi-diff-editor-service-override/vscode/vs/workbench/contrib/multiDiffEditor/browser/multiDiffEditor.contribution?late'
import '@codingame/monaco-vscode-view-common-service-override/vscode/vs/workbench/contrib/callHierarchy/browser/callHierarchy.contribution?late'
import '@codingame/monaco-vscode-view-common-service-override/vscode/vs/workbench/contrib/typeHierarchy/browser/typeHierarchy.contribution?late'
import '@codingame/monaco-vscode-snippets-service-override/vscode/vs/workbench/contrib/snippets/browser/snippets.contribution?late'
import '@codingame/monaco-vscode-timeline-service-override/vscode/vs/workbench/contrib/timeline/browser/timeline.contribution?late'
import '@codingame/monaco-vscode-outline-service-override/vscode/vs/workbench/contrib/outline/browser/outline.contribution?late'
