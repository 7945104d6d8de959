"""A Spark cluster of its own for a test: a master, two workers and executors that are processes of their own."""

import contextlib
import os
import pathlib
import shutil
import signal
import sys
import time

import pytest
from counting import optional

HOSTS = ("127.0.0.1", "127.0.0.2")
CONFIGURATION = {
    "spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.driver.memory": "768m",
    "spark.executor.memory": "512m", "spark.executor.cores": "1", "spark.sql.shuffle.partitions": "2", "spark.default.parallelism": "2",
    "spark.sql.codegen.wholeStage": "false",  # what is small here takes less time than its compilation
    "spark.speculation": "true", "spark.speculation.quantile": "0.1", "spark.speculation.multiplier": "1.1",
    "spark.python.worker.reuse": "true",
}


def _home(folder):
    """A folder that workers may write to, beside the programs of the package."""
    package = pathlib.Path(optional("pyspark").__file__).parent
    home = folder / "spark"
    home.mkdir()
    shutil.copytree(package / "bin", home / "bin")
    (home / "jars").symlink_to(package / "jars")
    return home


@contextlib.contextmanager
def _daemons(folder):
    """A master and two workers within the JVM of the driver; the address of the master. (In `local-cluster` all workers are one host, and Spark
    runs no speculative copy on the host of the first attempt.)"""
    context = optional("pyspark").SparkContext
    context._ensure_initialized()
    jvm = context._jvm
    deploy, nothing = jvm.org.apache.spark.deploy, jvm.scala.Option.empty()
    settings = jvm.org.apache.spark.SparkConf(False).set("spark.deploy.maxExecutorRetries", "-1").set("spark.master.rest.enabled", "false")
    environments = [deploy.master.Master.startRpcEnvAndEndpoint(HOSTS[0], 0, 0, settings)._1()]
    address = environments[0].address().toSparkURL()
    masters = context._gateway.new_array(jvm.String, 1)
    masters[0] = address
    for number, host in enumerate(HOSTS):
        environments.append(deploy.worker.Worker.startRpcEnvAndEndpoint(host, 0, 0, 1, 1024, masters, str(folder / "work"), jvm.scala.Some(number),
                                                                        settings, nothing))
    try:
        yield address
    finally:
        for environment in reversed(environments):
            environment.shutdown()
            environment.awaitTermination()


@contextlib.contextmanager
def running(folder):
    """A session of a cluster of its own within the block."""
    assert shutil.which("java") or "JAVA_HOME" in os.environ, "Java is not installed: `make check` installs it"
    sql = optional("pyspark.sql")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_HOME", str(_home(folder)))
        patch.setenv("SPARK_LOCAL_DIRS", str(folder / "local"))
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("PYSPARK_DRIVER_PYTHON", sys.executable)
        patch.chdir(folder)
        with _daemons(folder) as master:
            builder = sql.SparkSession.builder.master(master).appName("freegap")
            for name, value in CONFIGURATION.items():
                builder = builder.config(name, value)
            session = builder.config("spark.sql.warehouse.dir", str(folder / "warehouse")).getOrCreate()
            session.sparkContext.setLogLevel("OFF")
            try:
                yield session
            finally:
                session.stop()


def executors(session):
    """The processes of its executors."""
    wanted = session.sparkContext.applicationId.encode()
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (folder / "cmdline").read_bytes().split(b"\0")
            if wanted in words and b"org.apache.spark.executor.CoarseGrainedExecutorBackend" in words:
                found.append(int(folder.name))
    return found


def kill_executors(session):
    """Kills all of them, and returns how many there were once they are gone. The cluster starts others, so that there may be one or two."""
    killed = executors(session)
    for process in killed:
        os.kill(process, signal.SIGKILL)
    while set(killed) & set(executors(session)):
        time.sleep(0.01)
    return len(killed)
