"use strict";
// Starts `lintorch server`, and starts it again when asked, or when settings or interpreter change.

const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");
const { findServer } = require("./find_server");

let client;
let output;
let home;
let starting = Promise.resolve();

async function activate(context) {
  home = context.extensionPath;
  output = vscode.window.createOutputChannel("lintorch");
  context.subscriptions.push(
    output,
    vscode.commands.registerCommand("lintorch.restart", restart),
    vscode.commands.registerCommand("lintorch.showOutput", () => output.show()),
    vscode.workspace.onDidGrantWorkspaceTrust(restart),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (["path", "interpreter", "args"].some((key) => event.affectsConfiguration(`lintorch.${key}`))) {
        restart();
      }
    }),
  );
  const environments = await findEnvironments();
  if (environments) {
    context.subscriptions.push(environments.onDidChangeActiveEnvironmentPath(restart));
  }
  await restart();
}

function deactivate() {
  return stop();
}

function restart() {
  starting = starting.then(stop).then(start).catch((error) => tell(`lintorch did not start: ${error.message}`));
  return starting;
}

async function stop() {
  const last = client;
  client = undefined;
  if (last) {
    await last.stop();
  }
}

async function start() {
  const found = findServer(readSettings(), await findPython());
  if (found.problem) {
    tell(found.problem);
    return;
  }
  // `python -m` imports from where it is started: never from the workspace, which the server enters later
  const options = { cwd: home };
  output.appendLine(`starting ${[found.command, ...found.args].join(" ")}`);
  client = new LanguageClient(
    "lintorch",
    "lintorch",
    { command: found.command, args: found.args, options, transport: TransportKind.stdio },
    {
      documentSelector: ["file", "untitled", "vscode-notebook-cell"].map((scheme) => ({ scheme, language: "python" })),
      outputChannel: output,
      middleware: { executeCommand: runWhereTrusted },
    },
  );
  await client.start();
}

function runWhereTrusted(command, args, next) {
  if (vscode.workspace.isTrusted) {
    return next(command, args);
  }
  return tell("models of a workspace that is not trusted are not run");
}

function readSettings() {
  const settings = vscode.workspace.getConfiguration("lintorch");
  return { path: settings.get("path", ""), interpreter: settings.get("interpreter", ""), args: settings.get("args", []) };
}

async function findEnvironments() {
  const extension = vscode.extensions.getExtension("ms-python.python");
  if (!extension) {
    return undefined;
  }
  const api = extension.isActive ? extension.exports : await extension.activate();
  return api && api.environments;
}

async function findPython() {
  const environments = vscode.workspace.isTrusted ? await findEnvironments() : undefined;
  if (!environments) {
    return "";
  }
  const folder = (vscode.workspace.workspaceFolders || [])[0];
  const chosen = environments.getActiveEnvironmentPath(folder && folder.uri);
  const environment = await environments.resolveEnvironment(chosen);
  const executable = environment && environment.executable.uri;
  return executable ? executable.fsPath : "";
}

async function tell(problem) {
  output.appendLine(problem);
  const chosen = await vscode.window.showErrorMessage(problem, "Open Settings", "Show Output");
  if (chosen === "Open Settings") {
    await vscode.commands.executeCommand("workbench.action.openSettings", "lintorch");
  } else if (chosen === "Show Output") {
    output.show();
  }
}

module.exports = { activate, deactivate };
